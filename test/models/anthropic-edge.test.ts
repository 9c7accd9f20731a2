import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from 'vitest';

import { createAnthropicModel } from '../../src/models/anthropic/index.js';
import {
  ask,
  eventStream,
  failureOfAsking,
  impatient,
  json,
  modelFrom,
  requestOf,
  sse,
} from './anthropic-server.js';
import { cpuTime } from '../helpers/cpu-time.js';

/** A server on loopback of which every answer is written by hand. */
async function serving(answer: (response: ServerResponse) => void) {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.on('error', () => undefined); // the client hangs up
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function asking(baseUrl: string) {
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'key-of-the-test',
    baseUrl,
    clock: impatient(),
  });
  return failureOfAsking(ask(model, requestOf()));
}

/** Writes the same piece for as long as it is taken. */
function endlessly(response: ServerResponse, piece: string): void {
  const more = (): void => {
    while (!response.destroyed) {
      if (response.write(piece)) continue;
      response.once('drain', more);
      return;
    }
  };
  more();
}

describe('G33 the key', () => {
  test.for([301, 302, 303, 307, 308])('the key does not follow a redirect with status %i', async (status) => {
    await using thief = await serving((response) => {
      response.end();
    });
    await using server = await serving((response) => {
      response.writeHead(status, { location: `${thief.url}/v1/messages` });
      response.end();
    });
    expect(await asking(server.url)).toEqual({
      code: 'MODEL_FAILED',
      message: `the server at ${new URL(server.url).host} answered ${status}: redirect to ${thief.url}/v1/messages not followed`,
      hint: 'if you trust that address with your key, set it with --base-url',
      detail: { status, retryable: false },
    });
    expect([server.received.length, thief.received]).toEqual([1, []]);
  });

  test.for([
    'http://api.anthropic.com',
    'http://192.168.1.7:11434',
    'http://127.0.0.1.example.org',
    'http://[::2]',
  ])('the key does not go unencrypted to %s', (baseUrl) => {
    const options = { model: 'm', apiKey: 'key-of-the-test', clock: impatient(), baseUrl };
    expect(() => createAnthropicModel(options)).toThrow(
      expect.objectContaining({
        code: 'BAD_CONFIG',
        message: `refusing to send key and conversation to \`${new URL(baseUrl).host}\` unencrypted`,
        hint: 'use an encrypted connection, or allow it: --allow-http, or `"allowHttp": true` in the configuration',
      }),
    );
    expect(createAnthropicModel({ ...options, allowHttp: true }).id).toBe('anthropic:m');
  });

  test.for([
    'http://localhost:1',
    'http://a.localhost',
    'http://127.1',
    'http://127.8.8.8',
    'http://[::1]:1',
  ])('the key may go over http to %s, which is this machine', (baseUrl) => {
    const options = { model: 'm', apiKey: 'key-of-the-test', clock: impatient(), baseUrl };
    expect(createAnthropicModel(options).id).toBe('anthropic:m');
  });
});

describe('T18 an answer of a model', () => {
  const stream = { 'content-type': 'text/event-stream' };

  test('an answer that is one endless line is given up after eight million characters, and not asked for again', async () => {
    await using server = await serving((response) => {
      response.writeHead(200, stream);
      endlessly(response, `data: ${'x'.repeat(65_536)}`);
    });
    const failure = await asking(server.url);
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', detail: { retryable: false } });
    expect(failure['message']).toContain('a line in the stream is too large');
    expect(server.received).toHaveLength(1);
  });

  test('an endless stream of deltas is given up after 64 MB, and not asked for again', async () => {
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(65_536) },
    };
    await using server = await serving((response) => {
      response.writeHead(200, stream);
      response.write(
        eventStream([
          { type: 'message_start', message: {} } as { type: string },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
            type: string;
          },
        ]),
      );
      endlessly(response, eventStream([delta]));
    });
    const failure = await asking(server.url);
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', detail: { retryable: false } });
    expect(failure['message']).toContain('the reply is too large');
    expect(server.received).toHaveLength(1);
  });

  test('the body of an error that never ends is read for a megabyte', async () => {
    await using server = await serving((response) => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      endlessly(response, 'no '.repeat(20_000));
    });
    expect(await asking(server.url)).toMatchObject({
      code: 'MODEL_FAILED',
      detail: { status: 400, retryable: false },
    });
  });

  test('a reply with more than ten thousand blocks is refused', async () => {
    const blocks = Array.from({ length: 10_001 }, (_, index) => [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
      { type: 'content_block_stop', index },
    ]);
    const start = { type: 'message_start', message: {} } as { type: string };
    const model = modelFrom(() => sse(eventStream([start, ...blocks.flat()])));
    expect(await failureOfAsking(ask(model))).toMatchObject({
      code: 'MODEL_FAILED',
      message: 'Anthropic failed: more than 10000 blocks in one reply',
      detail: { retryable: false },
    });
  });

  test('a reply with ever new names of counts takes linear time', async () => {
    const counts = Array.from({ length: 50_000 }, (_, n) => ({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { [`k${n}`]: 1, output_tokens: n },
    }));
    const start = { type: 'message_start', message: { usage: { input_tokens: 1 } } } as { type: string };
    const model = modelFrom(() => sse(eventStream([start, ...counts, { type: 'message_stop' }])));
    const before = cpuTime();
    const { reply } = await ask(model);
    expect(reply.usage).toMatchObject({ inputTokens: 1, outputTokens: 49_999 });
    expect(cpuTime() - before).toBeLessThan(5_000);
  });

  test('an error that holds something else than texts is told all the same', async () => {
    const model = modelFrom(() => json(400, { type: 'error', error: { type: 7, message: { a: 1 } } }));
    expect(await failureOfAsking(ask(model))).toMatchObject({
      code: 'MODEL_FAILED',
      message: 'Anthropic answered 400: 400 {"type":"error","error":{"type":7,"message":{"a":1}}}',
      detail: { status: 400, retryable: false },
    });
  });

  test.for(['thinking', 'signature', 'thinking signature '])(
    'an error of 160 kB of %j is judged in linear time',
    async (word) => {
      const message = word.repeat(160_000 / word.length);
      const before = cpuTime();
      const model = modelFrom(() =>
        json(400, { type: 'error', error: { type: 'invalid_request_error', message } }),
      );
      expect(await failureOfAsking(ask(model))).toMatchObject({ code: 'MODEL_FAILED' });
      expect(cpuTime() - before).toBeLessThan(500);
    },
  );
});
