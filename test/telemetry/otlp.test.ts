import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test, vi } from 'vitest';

import { systemClock } from '../../src/library/system-clock.js';
import { otlpTracer } from '../../src/telemetry/index.js';
import { Home } from '../helpers/program.js';

interface Heard {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly body: string;
}

interface SpanBody {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A collector on this machine. */
async function listening(
  reply: (response: ServerResponse, request: IncomingMessage) => unknown = (response) => response.end('{}'),
) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const key = request.headers['x-key'];
      heard.push({ url: request.url, key: Array.isArray(key) ? undefined : key, body });
      reply(response, request);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { heard, url, [Symbol.dispose]: close };
}

function spansIn(body: string): readonly SpanBody[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: readonly { scopeSpans: readonly { spans: readonly SpanBody[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** @param sleep Default: time passes. */
function tracerTo(url: string, key = 'k', sleep = systemClock.sleep) {
  const told: string[] = [];
  let at = 1_700_000_000_000;
  let drawn = 0;
  const tracer = otlpTracer({
    url,
    headers: { 'x-key': key },
    resource: { 'service.name': 'tests' },
    clock: { now: () => (at += 250), sleep },
    random: (size) => new Uint8Array(size).fill((drawn += 1)),
    notice: (text) => void told.push(text),
  });
  return { tracer, told };
}

/** The time that a busy machine may take for what takes a moment. */
const WAIT_MS = 60_000;
const SILENT = 'no answer within 40 ms';

describe('spans for a collector', () => {
  test('are sent as OTLP has them in JSON', async () => {
    using collector = await listening();
    const { tracer, told } = tracerTo(`${collector.url}/v1/traces`);
    const outer = tracer.startSpan('outer', { attributes: { text: 'a', count: 2, share: 0.5, yes: true } });
    const inner = tracer.startSpan('inner', {}, outer);
    inner.setStatus({ code: 2, message: 'bad' });
    inner.end();
    inner.end();
    outer.setAttributes({ text: `${'b'.repeat(8_191)}😀` });
    outer.end();
    await tracer.flush(WAIT_MS);
    const [request, ...more] = collector.heard;
    expect({ more, told, url: request?.url, key: request?.key }).toEqual({
      more: [],
      told: [],
      url: '/v1/traces',
      key: 'k',
    });
    const traceId = '01'.repeat(16);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'tests' } }] },
          scopeSpans: [
            {
              scope: { name: 'hitl' },
              spans: [
                {
                  traceId,
                  spanId: '03'.repeat(8),
                  parentSpanId: '02'.repeat(8),
                  name: 'inner',
                  kind: 1,
                  startTimeUnixNano: '1700000000500000000',
                  endTimeUnixNano: '1700000000750000000',
                  attributes: [],
                  status: { code: 2, message: 'bad' },
                },
                {
                  traceId,
                  spanId: '02'.repeat(8),
                  name: 'outer',
                  kind: 1,
                  startTimeUnixNano: '1700000000250000000',
                  endTimeUnixNano: '1700000001000000000',
                  attributes: [
                    { key: 'text', value: { stringValue: 'b'.repeat(8_191) } },
                    { key: 'count', value: { intValue: '2' } },
                    { key: 'share', value: { doubleValue: 0.5 } },
                    { key: 'yes', value: { boolValue: true } },
                  ],
                  status: { code: 0 },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([
    ['refuses', (response: ServerResponse) => response.writeHead(503).end(), 'status 503'],
    ['leads elsewhere', (response: ServerResponse) => response.writeHead(307, { location: '/x' }).end(), ''],
    ['says nothing', () => undefined, SILENT],
    ['is gone', (response: ServerResponse) => response.destroy(), 'other side closed'],
  ])('that %s fail nothing, and it is told once', async (_what, reply, why) => {
    using collector = await listening(reply);
    // The patience of `flush` is over once the collector has heard all of a request, and without an answer.
    const patience: typeof systemClock.sleep = async (ms, signal) => {
      if (ms !== 40 || why !== SILENT) return systemClock.sleep(ms, signal);
      await vi.waitFor(() => {
        expect(collector.heard.length).toBeGreaterThan(0);
      }, WAIT_MS);
    };
    const { tracer, told } = tracerTo(`${collector.url}/v1/traces?secret=1`, 'k', patience);
    for (let round = 0; round < 3; round += 1) {
      tracer.startSpan('a').end();
      await tracer.flush(why === SILENT ? 40 : WAIT_MS);
    }
    expect(told).toEqual([
      expect.stringContaining(`cannot send spans to ${collector.url}/v1/traces: ${why}`),
    ]);
    expect(collector.heard.length).toBe(1); // who is down is left alone for a while
  });

  test.each([
    ['its address', 'http://ann:hunter2@127.0.0.1:9/v1/traces', 'k'],
    ['a header', 'http://127.0.0.1:9/v1/traces', 'hunter2\n2'],
  ])('that cannot be sent for %s are told of without its secret', async (_what, url, key) => {
    const { tracer, told } = tracerTo(url, key);
    tracer.startSpan('a').end();
    await tracer.flush(WAIT_MS);
    expect(told).toEqual(['cannot send spans to http://127.0.0.1:9/v1/traces: invalid header or URL']);
  });

  test('are made of the sessions of the program where the environment names one, without what was said', async () => {
    using home = new Home();
    using collector = await listening();
    const { status, stderr } = await home.run(['chat', '-p', 'What is my balance?'], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k' },
    });
    const [{ body, ...request } = { body: '{}' }, ...more] = collector.heard;
    expect({ status, more, request }).toEqual({
      status: 0,
      more: [],
      request: { url: '/v1/traces', key: 'k' },
    });
    expect(stderr).not.toContain('telemetry');
    const spans = spansIn(body);
    const root = spans.at(-1);
    expect(spans.map(({ name }) => name)).toEqual(['hitl.model', 'hitl.tool', 'hitl.model', 'hitl.session']);
    expect(root?.parentSpanId).toBeUndefined();
    expect(spans.slice(0, -1).every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);
    expect(body).toContain(home.id);
    expect(body.replaceAll('get_balance', '')).not.toContain('balance');
  });

  test('go with headers to another machine by https alone, or where somebody agreed', () => {
    const to =
      (url: string, more: { readonly headers?: Record<string, string>; allowHttp?: boolean }) => () =>
        otlpTracer({
          url,
          resource: {},
          clock: systemClock,
          random: (size) => new Uint8Array(size),
          ...more,
        });
    const headers = { authorization: 'Bearer k' };
    expect(to('http://collector.example/v1/traces', { headers })).toThrow(
      'refusing to send the headers for the collector to `collector.example` unencrypted',
    );
    for (const given of [
      to('https://collector.example/v1/traces', { headers }),
      to('http://collector.example/v1/traces', { headers, allowHttp: true }),
      to('http://collector.example/v1/traces', {}),
      to('http://localhost:4318/v1/traces', { headers }),
    ])
      expect(given).not.toThrow();
  });

  test.for([
    ['headers', { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k' }],
    ['what was said', { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }],
  ] as const)(
    'leave this machine with %s only where the person agreed, and the run goes on',
    async ([what, more]) => {
      using home = new Home();
      using collector = await listening();
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('127.0.0.1', '0.0.0.0'), ...more };
      const chat = ['chat', '-p', 'What is my balance?'];
      const { status, stderr } = await home.run(chat, { env });
      expect([status, collector.heard.length]).toEqual([0, 0]);
      const told = stderr.split('\n').filter((line) => line.startsWith('telemetry: '));
      expect(told).toEqual([expect.stringContaining('nothing is sent: ')]);
      expect(told[0]).toContain(what);
      expect(told[0]).toContain('unencrypted');
      await home.run([...chat, '--allow-http'], { env });
      expect(collector.heard.length).toBe(1);
      await home.run(['config', 'set', 'allowHttp', 'true']);
      await home.run(chat, { env });
      expect(collector.heard.length).toBe(2);
    },
  );
});
