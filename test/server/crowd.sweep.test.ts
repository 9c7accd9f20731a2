// A crowd before a server that is built: 2,000 connections, slow bodies, 300 streams, HEADs and large bodies.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { root } from '../meta/project.js';

const TOKEN = 'ann'.padEnd(40, '-');

async function served(): Promise<{ readonly port: number; readonly rssMb: () => number }> {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-crowd-'));
  const people = path.join(home, 'people.txt');
  writeFileSync(people, `ann ${TOKEN} roles=answer,read\n`, { mode: 0o600 });
  const flags = ['serve', '--port', '0', '--auth', 'token-file', '--token-file', people];
  const program = path.join(root, 'dist/bin/hitl.js');
  const child = spawn(process.execPath, [program, ...flags], {
    env: { PATH: process.env['PATH'], HOME: home, HITL_HOME: home },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
    rmSync(home, { recursive: true, force: true });
  });
  let told = '';
  for await (const piece of child.stdout) {
    told += String(piece);
    if (told.includes('\n')) break;
  }
  const status = (): string => readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
  return {
    port: Number(new URL(told.trim()).port),
    rssMb: () => Number(/^VmRSS:\s+(\d+)/mu.exec(status())?.[1] ?? 0) / 1024,
  };
}

interface Asking {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection stays open. */
  readonly stays?: (socket: { destroy(): unknown }) => void;
}

function ask({ port, path: place, method = 'GET', headers = {}, stays }: Asking): Promise<number> {
  return new Promise((resolve) => {
    const to = { hostname: '127.0.0.1', port, path: place, method, headers, agent: false, timeout: 10_000 };
    const sent = request(to, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    stays?.(sent);
    sent.on('error', () => {
      resolve(0);
    });
    sent.on('timeout', () => {
      resolve(-1);
    });
    sent.end();
  });
}

test.skipIf(process.platform !== 'linux')(
  'a crowd costs the others no time and the server no memory',
  async () => {
    const { port, rssMb } = await served();
    const open: { destroy(): unknown }[] = [];
    onTestFinished(() => {
      for (const one of open) one.destroy();
    });
    const figures: Record<string, { readonly slowestMs: number; readonly rssMb: number }> = {};
    const look = async (name: string): Promise<void> => {
      let slowestMs = 0;
      for (let count = 0; count < 20; count += 1) {
        const begun = performance.now();
        expect(await ask({ port, path: '/healthz' })).toBe(200);
        slowestMs = Math.max(slowestMs, Math.round(performance.now() - begun));
      }
      figures[name] = { slowestMs, rssMb: Math.round(rssMb()) };
    };
    const connected = async (sends: string): Promise<void> => {
      const socket: Socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      open.push(socket);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      socket.write(sends);
    };
    const authorization = `Bearer ${TOKEN}`;
    await look('alone');
    for (let count = 0; count < 2_000; count += 1) await connected('GET / HTTP/1.1\r\n');
    await look('2,000 connections');
    const slow = `POST /sign-in HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 15000\r\n\r\n${'x'.repeat(14_000)}`;
    for (let count = 0; count < 1_500; count += 1) await connected(slow);
    await look('1,500 slow bodies');
    const streams: number[] = [];
    for (let count = 0; count < 300; count += 1)
      streams.push(
        await ask({
          port,
          path: '/v1/stream',
          headers: { authorization },
          stays: (one) => void open.push(one),
        }),
      );
    await look('300 streams');
    for (let round = 0; round < 100; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          ask({ port, path: '/v1/stream', method: 'HEAD', headers: { authorization } }),
        ),
      );
    await look('5,000 HEADs of a stream');
    const large: number[] = [];
    for (let count = 0; count < 200; count += 1)
      large.push(
        await ask({
          ...{ port, path: '/v1/sessions/none/answers', method: 'POST' },
          headers: { authorization, 'content-type': 'application/json', 'content-length': '50000000' },
        }),
      );
    await look('200 large bodies');
    process.stdout.write(`${JSON.stringify(figures, undefined, 1)}\n`);
    const statuses = (given: readonly number[]): object => ({
      taken: given.filter((status) => status === 200).length,
      refused: given.filter((status) => status === 429 || status === 413).length,
    });
    expect([statuses(streams), statuses(large)]).toEqual([
      { taken: 32, refused: 268 },
      { taken: 0, refused: 200 },
    ]);
    const base = figures['alone']?.rssMb ?? 0;
    for (const [name, { slowestMs, rssMb: now }] of Object.entries(figures))
      expect([name, slowestMs < 1_000, now - base < 150]).toEqual([name, true, true]);
  },
  180_000,
);
