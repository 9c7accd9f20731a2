import { afterEach, describe, expect, test } from 'vitest';

import { openStore } from '../../src/index.js';
import type { Listening } from '../../src/server/index.js';
import { listenForProbes } from '../../src/server/index.js';
import { textMeter } from '../../src/telemetry/index.js';
import { fakeClock } from '../../src/testing/index.js';

let listening: Listening | undefined;
afterEach(async () => {
  await listening?.close();
});

async function opened() {
  const meter = textMeter();
  meter.createCounter('hitl.claims', { description: 'Claims.' }).add(3);
  const probed = { store: openStore(), clock: fakeClock(), meter, version: '1.2.3' };
  listening = await listenForProbes(probed, { address: '127.0.0.1', port: 0 });
  const { port } = listening;
  return async (path: string, { host, ...init }: RequestInit & { readonly host?: string } = {}) => {
    const { request } = await import('node:http');
    return new Promise<readonly [status: number | undefined, text: string]>((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      request({ port, path, headers, method: init.method ?? 'GET', agent: false }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += part.toString();
        });
        response.on('end', () => {
          resolve([response.statusCode, text]);
        });
      })
        .on('error', reject)
        .end();
    });
  };
}

describe('a worker that is watched', () => {
  test('tells its own numbers, and nothing of the store, to whoever asks', async () => {
    const ask = await opened();
    const [status, text] = await ask('/metrics');
    const names = [...text.matchAll(/^# TYPE (\S+)/gmu)].map(([, name]) => name);
    expect([status, names]).toEqual([
      200,
      [
        'hitl_claims_total',
        'hitl_requests_total',
        'hitl_build_info',
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'process_start_time_seconds',
      ],
    ]);
    expect(text).toContain('hitl_claims_total 3\n');
    expect(text).toContain('hitl_build_info{version="1.2.3"} 1\n');
  });

  test('says whether it lives and whether its store answers, and has nothing else', async () => {
    const ask = await opened();
    expect(await ask('/healthz')).toEqual([200, 'ok\n']);
    expect(await ask('/readyz')).toEqual([200, 'ready\n']);
    expect(await ask('/')).toEqual([404, '']);
    expect(await ask('/metrics', { method: 'POST' })).toEqual([405, '']);
    expect((await ask('/metrics'))[1]).toContain(
      'hitl_requests_total{route="GET /healthz",status="200"} 1\n',
    );
  });

  test('answers to names of this machine alone, where it listens on this machine alone', async () => {
    const ask = await opened();
    expect(await ask('/metrics', { host: 'evil.example:9464' })).toEqual([421, '']);
  });
});
