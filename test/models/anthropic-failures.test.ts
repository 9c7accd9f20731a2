import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { getEventListeners, once } from 'node:events';

import { describe, expect, test, vi } from 'vitest';

import type { Message, ModelEvent } from '../../src/core/index.js';
import { textPart } from '../../src/core/index.js';
import { createAnthropicModel } from '../../src/models/anthropic/index.js';
import type { Answer, Loose } from './anthropic-server.js';
import {
  ask,
  failureOfAsking,
  hello,
  impatient,
  json,
  LoopbackServer,
  modelAt,
  modelFrom,
  requestOf,
  sse,
  toolNamed,
} from './anthropic-server.js';
import { ManualClock } from './manual-clock.js';

const stream = (name: string): string => {
  return readFileSync(new URL(`../fixtures/anthropic/${name}.sse`, import.meta.url), 'utf8');
};
const error = (type: string, message: string, request_id?: string) => {
  return { type: 'error', error: { type, message }, ...(request_id !== undefined && { request_id }) };
};
const wellSaid = sse(stream('text'));
const overloaded = json(529, error('overloaded_error', 'Overloaded', 'req_529'));
const limited = (headers: Record<string, string>) => {
  return json(429, error('rate_limit_error', 'Too many requests'), { 'request-id': 'req_429', ...headers });
};

describe('an error of Anthropic', () => {
  test.for<[string, Answer, Loose]>([
    [
      '401: set the key',
      json(401, error('authentication_error', 'invalid x-api-key', 'req_1')),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 401 authentication_error: invalid x-api-key (request req_1)',
        hint: 'set ANTHROPIC_API_KEY to a valid key, or choose another model: --model demo',
        detail: { status: 401, type: 'authentication_error', requestId: 'req_1', retryable: false },
      },
    ],
    [
      '402: the balance',
      json(402, error('billing_error', 'no credit')),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 402 billing_error: no credit',
        hint: 'check the plan and balance of this key’s account',
        detail: { status: 402, type: 'billing_error', retryable: false },
      },
    ],
    [
      '403: what the key may do',
      json(403, error('permission_error', 'not yours')),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 403 permission_error: not yours',
        hint: 'this key is not allowed to do that; check its permissions for `claude-sonet-4-6`, or choose another model',
        detail: { status: 403, type: 'permission_error', retryable: false },
      },
    ],
    [
      '404: the name of the model, with a near one',
      json(404, error('not_found_error', 'model: claude-sonet-4-6')),
      {
        code: 'MODEL_NOT_FOUND',
        message:
          'no model `claude-sonet-4-6`: Anthropic answered 404 not_found_error: model: claude-sonet-4-6',
        hint: 'did you mean `claude-sonnet-4-6`? choose another with --model, and check --base-url',
        detail: { status: 404, type: 'not_found_error', retryable: false },
      },
    ],
    [
      '400 too long: what to drop',
      json(400, error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
      {
        code: 'MODEL_FAILED',
        message:
          'Anthropic answered 400 invalid_request_error: prompt is too long: 210000 tokens > 200000 maximum',
        hint: 'the conversation is too long for this model; start a new session, and limit tool output',
        detail: { status: 400, type: 'invalid_request_error', retryable: false },
      },
    ],
    [
      '413: what to drop',
      json(413, error('request_too_large', 'Request exceeds the maximum size')),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 413 request_too_large: Request exceeds the maximum size',
        hint: 'the conversation is too long for this model; start a new session, and limit tool output',
        detail: { status: 413, type: 'request_too_large', retryable: false },
      },
    ],
    [
      '400 of another kind: report it',
      json(400, error('invalid_request_error', 'tools.0: bad')),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 400 invalid_request_error: tools.0: bad',
        hint: 'not retryable; if the request looks right, report it with the request id',
        detail: { status: 400, type: 'invalid_request_error', retryable: false },
      },
    ],
    [
      '429: when to come back',
      limited({ 'retry-after': '17' }),
      {
        code: 'MODEL_FAILED',
        message: 'Anthropic answered 429 rate_limit_error: Too many requests (request req_429)',
        hint: 'wait 17 s and resume the session',
        detail: {
          status: 429,
          type: 'rate_limit_error',
          requestId: 'req_429',
          retryable: true,
          retryAfterMs: 17_000,
        },
      },
    ],
    [
      '503 with a page of a proxy: on one line, and short',
      { status: 503, body: `<html>\n${'<p>no upstream</p>\n'.repeat(100)}` },
      {
        code: 'MODEL_FAILED',
        message: expect.stringMatching(
          /^Anthropic answered 503: 503 <html> (<p>no upstream<\/p> )+.{0,20}…$/,
        ),
        hint: 'try again in a few minutes; the session is saved and can be resumed',
        detail: { status: 503, retryable: true },
      },
    ],
  ])('%s', async ([, answer, failure]) => {
    expect(await failureOfAsking(ask(modelFrom(() => answer, { model: 'claude-sonet-4-6' })))).toEqual(
      failure,
    );
  });

  test('of a server that is not there names it and what failed', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    taken.close();
    await once(taken, 'close');
    const model = createAnthropicModel({
      model: 'llama',
      clock: impatient(),
      baseUrl: `http://user:pass@127.0.0.1:${port}`,
      maxTries: 1,
    });

    expect(await failureOfAsking(ask(model))).toEqual({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(
        new RegExp(`^the server at 127\\.0\\.0\\.1:${port} failed: no connection: .*$`),
      ),
      hint: 'check the network and --base-url; the session is saved and can be resumed',
      detail: { retryable: true },
    });
  });
});

describe('retries', () => {
  test('wait as long as retry-after asks, then give the reply (429)', async () => {
    await using server = await LoopbackServer.start(
      limited({ 'retry-after': '2' }),
      limited({ 'retry-after-ms': '1500', 'retry-after': '9' }),
      wellSaid,
    );
    const clock = impatient();
    const { events, text } = await ask(modelAt(server, { maxTries: 5, clock }));

    expect(events.filter(({ type }) => type === 'retrying')).toEqual([
      { type: 'retrying', attempt: 2, waitMs: 2000, reason: 'rate limit' },
      { type: 'retrying', attempt: 3, waitMs: 1500, reason: 'rate limit' },
    ]);
    expect(text).toBe('Grüße 😀 aus\n東京');
  });

  test('double the wait, spread by chance, and end after five tries (529)', async () => {
    await using server = await LoopbackServer.start(...Array.from({ length: 6 }, () => overloaded));
    const events: ModelEvent[] = [];
    const model = modelAt(server, { maxTries: 5, random: () => 0.5 });
    const asking = (async () => {
      for await (const event of model.generate(requestOf(), new AbortController().signal)) events.push(event);
    })();

    expect(await failureOfAsking(asking)).toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(
        /answered 529 overloaded_error: Overloaded \(request req_529\), after 5 tries$/,
      ),
      detail: { status: 529, tries: 5, retryable: true },
    });
    expect(events).toEqual(
      [750, 1500, 3000, 6000].map((waitMs, index) => {
        return { type: 'retrying', attempt: index + 2, waitMs, reason: 'overloaded' };
      }),
    );
    expect(server.received).toHaveLength(5);
  });

  test('take back what was streamed when the provider is overloaded in the middle', async () => {
    await using server = await LoopbackServer.start(sse(stream('overloaded-midway')), wellSaid);
    const { events, text } = await ask(modelAt(server, { maxTries: 2 }));

    expect(events.slice(0, 3)).toEqual([
      { type: 'text-delta', text: 'I will' },
      { type: 'restarted' },
      { type: 'retrying', attempt: 2, waitMs: 1000, reason: 'overloaded' },
    ]);
    expect(text).toBe('Grüße 😀 aus\n東京');
  });

  test('come after a connection that breaks, in headers or in the middle', async () => {
    await using server = await LoopbackServer.start(
      { ...sse(stream('text').slice(0, 900)), then: 'destroy' },
      sse(stream('text').slice(0, 900)),
      wellSaid,
    );
    const { events, text } = await ask(modelAt(server, { maxTries: 3 }));

    expect(events.filter(({ type }) => type === 'retrying')).toEqual([
      { type: 'retrying', attempt: 2, waitMs: 1000, reason: 'connection lost' },
      { type: 'retrying', attempt: 3, waitMs: 2000, reason: 'connection lost' },
    ]);
    expect(text).toBe('Grüße 😀 aus\n東京');
  });

  test('never come where the provider says that they do not help', async () => {
    const model = modelFrom(() => limited({ 'x-should-retry': 'false' }), { maxTries: 5 });

    expect(await failureOfAsking(ask(model))).toMatchObject({ detail: { retryable: false } });
  });

  test('never come for a wrong key, or a broken protocol', async () => {
    for (const answer of [json(401, error('authentication_error', 'no')), sse(stream('duplicate-ids'))]) {
      let asked = 0;
      const model = modelFrom(
        () => {
          asked += 1;
          return answer;
        },
        { maxTries: 5 },
      );
      await failureOfAsking(ask(model));
      expect(asked).toBe(1);
    }
  });

  test('end at once when the person stops, also in the middle of a wait', async () => {
    const stop = new AbortController();
    const clock = new ManualClock();
    const model = modelFrom(() => overloaded, { maxTries: 5, clock });
    const events: ModelEvent[] = [];
    const asking = (async () => {
      for await (const event of model.generate(requestOf(), stop.signal)) events.push(event);
    })();
    await vi.waitUntil(() => events.length === 1 && clock.waiting === 1);
    stop.abort(new Error('enough'));

    await expect(asking).rejects.toThrow('enough');
    expect(clock.waiting).toBe(0);
  });
});

describe('a silent stream', () => {
  test('counts as dead after 90 seconds, and is tried again', async () => {
    await using server = await LoopbackServer.start(
      { ...sse(stream('text').slice(0, 900)), then: 'hang' },
      wellSaid,
    );
    const clock = new ManualClock((ms) => ms < 60_000 && ms >= 500);
    const asking = ask(modelAt(server, { maxTries: 2, clock }));
    await vi.waitUntil(() => clock.waiting > 0);
    await vi.waitUntil(() => {
      clock.advance(30_000);
      return server.received.length === 2;
    });
    const { events, text } = await asking;

    expect(events.filter(({ type }) => type === 'retrying' || type === 'restarted')).toEqual([
      { type: 'restarted' },
      { type: 'retrying', attempt: 2, waitMs: 1000, reason: 'connection lost' },
    ]);
    expect(text).toBe('Grüße 😀 aus\n東京');
  });

  test('says for how long, with the request id', async () => {
    await using server = await LoopbackServer.start({
      headers: { 'content-type': 'text/event-stream', 'request-id': 'req_9' },
      body: stream('text').slice(0, 900),
      then: 'hang',
    });
    const clock = new ManualClock();
    const asking = failureOfAsking(ask(modelAt(server, { silenceMs: 5000, clock })));
    await vi.waitUntil(() => clock.waiting > 0);
    const advancing = setInterval(() => {
      clock.advance(5000);
    }, 5);
    const failure = await asking;
    clearInterval(advancing);

    expect(failure).toMatchObject({
      message: expect.stringMatching(/failed: nothing came for 5 s \(request req_9\)$/),
      detail: { retryable: true, requestId: 'req_9' },
    });
  });

  test('is none while pings come', async () => {
    const clock = new ManualClock();
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    const pieces = [ping, ping, ping, stream('text')].map((piece) => Buffer.from(piece));
    const send: typeof fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          clock.advance(60_000);
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(new Uint8Array(piece));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { text } = await ask(modelFrom(() => wellSaid, { fetch: send, clock, silenceMs: 90_000 }));

    expect(text).toBe('Grüße 😀 aus\n東京');
  });
});

describe('stopping', () => {
  test('ends a stream at once and throws the reason', async () => {
    await using server = await LoopbackServer.start({ ...sse(stream('text').slice(0, 900)), then: 'hang' });
    const stop = new AbortController();
    const asking = (async () => {
      for await (const event of modelAt(server).generate(requestOf(), stop.signal)) {
        if (event.type === 'text-delta') stop.abort(new Error('that will do'));
      }
    })();

    await expect(asking).rejects.toThrow('that will do');
  });

  test('before anything was sent sends nothing', async () => {
    const model = modelFrom(() => {
      throw new Error('was sent');
    });

    await expect(ask(model, requestOf(), AbortSignal.abort(new Error('never mind')))).rejects.toThrow(
      'never mind',
    );
  });

  test('in the very moment in which the last byte has come does not hang', async () => {
    await using server = await LoopbackServer.start(
      sse(stream('text').replace(/event: message_stop[^]*$/, '')),
    );
    const stop = new AbortController();
    const asking = (async () => {
      for await (const event of modelAt(server).generate(requestOf(), stop.signal)) {
        if (event.type === 'text-delta') stop.abort(new Error('now'));
      }
    })();

    await expect(asking).rejects.toThrow('now');
  });

  test('by the reader, who stops reading, closes the connection', async () => {
    await using server = await LoopbackServer.start({ ...sse(stream('text').slice(0, 900)), then: 'hang' });
    const clock = new ManualClock();
    for await (const event of modelAt(server, { clock }).generate(
      requestOf(),
      new AbortController().signal,
    )) {
      expect(event.type).toBe('text-delta');
      break;
    }

    expect(clock.waiting).toBe(0);
  });

  test('by the reader ends an answer also where its fetch does not listen', async () => {
    const cancel = vi.fn<() => void>();
    const send: typeof fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(stream('text').slice(0, 900)));
        },
        cancel,
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const model = modelFrom(() => wellSaid, { fetch: send });
    for await (const event of model.generate(requestOf(), new AbortController().signal)) {
      expect(event.type).toBe('text-delta');
      break;
    }

    expect(cancel).toHaveBeenCalledTimes(1);
  });

  test('is listened for no longer than a request lasts, also one that is refused', async () => {
    const made = vi.spyOn(AbortSignal, 'any');
    await ask(modelFrom(() => wellSaid));
    await failureOfAsking(ask(modelFrom(() => json(400, error('invalid_request_error', 'no')))));
    const signals = made.mock.results.map(({ value }) => value as AbortSignal);
    made.mockRestore();

    const heard = signals.filter(
      (signal) => !signal.aborted && getEventListeners(signal, 'abort').length > 0,
    );
    expect(signals).not.toEqual([]);
    expect(heard).toEqual([]);
  });

  test('leaves the connection to the next request where the reply had come', async () => {
    await using server = await LoopbackServer.start(wellSaid, wellSaid, wellSaid);
    const model = modelAt(server, { clock: new ManualClock() });
    for (let turn = 0; turn < 3; turn += 1) await ask(model);

    expect(server.connections).toBeLessThan(3);
  });

  test('waits for no end behind a whole reply that a server does not send', async () => {
    await using server = await LoopbackServer.start({ ...wellSaid, then: 'hang' });
    const clock = new ManualClock();
    const asking = ask(modelAt(server, { clock }));
    await vi.waitUntil(() => clock.slept.includes(250));
    clock.advance(250);

    expect((await asking).reply.end).toBe('stop');
  });
});

describe('thinking that has become void', () => {
  const thought: Message = {
    role: 'model',
    content: [
      { type: 'reasoning', text: 'hm', metadata: { anthropic: { type: 'thinking', signature: 's' } } },
      textPart('done'),
    ],
  };
  const refusal = json(
    400,
    error(
      'invalid_request_error',
      'messages.1.content.0: The `thinking` block is bound to a different conversation',
    ),
  );

  test('is left out of the request and of all later ones, so that a session is not stuck', async () => {
    await using server = await LoopbackServer.start(refusal, wellSaid, wellSaid);
    const model = modelAt(server);
    const { events } = await ask(model, requestOf([hello, thought, hello]));
    await ask(model, requestOf([hello, thought, hello, thought, hello]));
    const thinkingIn = (index: number) => {
      const { messages } = server.received[index]?.body ?? {};
      return messages.map(({ content }: Loose) => content.some(({ type }: Loose) => type === 'thinking'));
    };

    expect(events[0]).toEqual({
      type: 'retrying',
      attempt: 2,
      waitMs: 0,
      reason: 'without earlier thinking',
    });
    expect([0, 1, 2].map(thinkingIn)).toEqual([
      [false, true, false],
      [false, false, false],
      [false, false, false, true, false],
    ]);
  });

  test('is tried without once only', async () => {
    await using server = await LoopbackServer.start(refusal, refusal);

    expect(await failureOfAsking(ask(modelAt(server), requestOf([hello, thought, hello])))).toMatchObject({
      detail: { status: 400 },
    });
    expect(server.received).toHaveLength(2);
  });
});

describe('the key (G33)', () => {
  const apiKey = 'sk-ant-api03-SECRET-of-the-test';

  test('goes out as a bearer token, to other servers also as x-api-key', async () => {
    await using server = await LoopbackServer.start(wellSaid);
    await ask(modelAt(server, { apiKey }));

    expect(server.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'x-api-key': apiKey,
    });
  });

  test('is `none` for a server that needs none', async () => {
    await using server = await LoopbackServer.start(wellSaid);
    await ask(createAnthropicModel({ model: 'llama', clock: impatient(), baseUrl: server.url }));

    expect(server.received[0]?.headers.authorization).toBe('Bearer none');
  });

  test.for<[string, () => Answer]>([
    [
      'an error of the provider',
      () => json(401, error('authentication_error', `bad key ${apiKey} in Bearer ${apiKey}`)),
    ],
    [
      'an error in the stream',
      () => sse(`event: error\ndata: ${JSON.stringify(error('api_error', `for ${apiKey}`))}\n\n`),
    ],
    [
      'an error of the network',
      () => {
        throw new TypeError(`Headers.append: "Bearer ${apiKey}" is an invalid header value`);
      },
    ],
  ])('is in no message, hint, detail, cause or stack of %s', async ([, answer]) => {
    let thrown: unknown;
    try {
      await ask(modelFrom(answer, { apiKey }));
    } catch (caught) {
      thrown = caught;
    }
    const all = (value: unknown): string => {
      if (!(value instanceof Error)) return value === undefined ? '' : JSON.stringify(value);
      const { message, stack, cause } = value;
      return [message, stack, JSON.stringify(value), all(cause)].join('\n');
    };

    expect(thrown).toBeInstanceOf(Error);
    expect(all(thrown)).not.toContain('SECRET');
    expect(all(thrown)).toContain('[key]');
  });

  test.for<[string, Loose, string]>([
    ['a missing key', {}, 'missing Anthropic API key'],
    ['a blank key', { apiKey: ' \n' }, 'missing Anthropic API key'],
    [
      'a key with a line break',
      { apiKey: 'sk-ant-a\nb' },
      'the Anthropic API key contains invalid characters',
    ],
    [
      'an address that is none',
      { apiKey, baseUrl: 'localhost:11434' },
      'the base URL is not an http or https URL',
    ],
  ])('%s is refused before anything is asked', ([, options, message]) => {
    expect(() => createAnthropicModel({ model: 'm', clock: impatient(), ...options })).toThrow(
      expect.objectContaining({ code: 'BAD_CONFIG', message }),
    );
  });

  test('may have white space around it, as a file or a shell puts there', async () => {
    const keys: (string | null)[] = [];
    const send: typeof fetch = async (_url, init) => {
      keys.push(new Headers(init?.headers).get('authorization'));
      return new Response(stream('text'), { headers: { 'content-type': 'text/event-stream' } });
    };
    await ask(modelFrom(() => wellSaid, { apiKey: ` ${apiKey}\n`, fetch: send }));

    expect(keys).toEqual([`Bearer ${apiKey}`]);
  });
});

describe('usage', () => {
  const answer = (usage: Loose) => {
    return sse(
      stream('empty').replace(
        '"usage": {"input_tokens": 10, "output_tokens": 1}',
        `"usage": ${JSON.stringify(usage)}`,
      ),
    );
  };

  test('is priced by the list, with what came from the cache and went into it', async () => {
    const counts = {
      input_tokens: 1000,
      cache_read_input_tokens: 10_000,
      cache_creation_input_tokens: 2000,
      cache_creation: { ephemeral_5m_input_tokens: 1500, ephemeral_1h_input_tokens: 500 },
      service_tier: 'standard',
    };
    const model = modelFrom(() => answer(counts), { model: 'claude-sonnet-4-6' });

    expect((await ask(model)).reply.usage).toEqual({
      inputTokens: 13_000,
      outputTokens: 20,
      cacheReadTokens: 10_000,
      cacheWriteTokens: 2000,
      // 1000 x 3 + 10,000 x 0.3 + 1500 x 3.75 + 500 x 6 + 20 x 15, in millionths
      costUsd: 0.014925,
    });
  });

  test.for<[string, string, Loose]>([
    ['a model that is not on the list', 'claude-unknown-9', {}],
    ['a tier with prices of its own', 'claude-sonnet-4-6', { service_tier: 'priority' }],
    ['inference in one country', 'claude-sonnet-4-6', { inference_geo: 'us' }],
    [
      'searches with a price of their own',
      'claude-sonnet-4-6',
      { server_tool_use: { web_search_requests: 1 } },
    ],
  ])('has no cost for %s', async ([, model, counts]) => {
    const { reply } = await ask(modelFrom(() => answer({ input_tokens: 10, ...counts }), { model }));

    expect(reply.usage).toEqual({ inputTokens: 10, outputTokens: 20 });
  });

  test('has the cost of our list at another server too, for a model that is in it', async () => {
    await using server = await LoopbackServer.start(wellSaid);
    const { reply } = await ask(modelAt(server, { model: 'claude-sonnet-4-6' }));

    expect(reply.usage).toEqual({ inputTokens: 10, outputTokens: 20, costUsd: 0.00033 });
  });
});

test('a model says in its id what --model takes', () => {
  expect(modelFrom(() => wellSaid, { model: 'claude-opus-5' }).id).toBe('anthropic:claude-opus-5');
});

test('a schema that the provider refuses is told in words from then on, and calls are checked here as before', async () => {
  const bodies: Loose[] = [];
  const model = modelFrom(
    (body, count) => {
      bodies.push(body);
      return count === 1
        ? json(400, error('invalid_request_error', 'output_config.format: the schema is too complex'))
        : wellSaid;
    },
    { model: 'claude-sonnet-5-5' },
  );
  const outputSchema = { type: 'object', properties: {} };
  const tools = [toolNamed('pay', { type: 'object', properties: {} })];
  const { events } = await ask(model, requestOf([hello], { outputSchema, tools }));
  await ask(model, requestOf([hello], { outputSchema, tools }));
  expect(events[0]).toMatchObject({ type: 'retrying', reason: 'without schema enforcement' });
  const given = bodies.map(({ tools: [tool], system, output_config }) => [
    tool.strict,
    output_config?.format?.type,
    system?.[0].text.slice(0, 20),
  ]);
  const inWords = [undefined, undefined, 'Your final reply mus'];
  expect(given).toEqual([[true, 'json_schema', undefined], inWords, inWords]);
});

test('a search for tools that the API refuses is left out, and all tools are sent in full', async () => {
  const bodies: Loose[] = [];
  const answers = [
    json(400, error('invalid_request_error', 'tools.0: tool_search_tool_bm25 is not supported')),
    wellSaid,
    wellSaid,
  ];
  const model = modelFrom(
    (body) => {
      bodies.push(body);
      return answers.shift() ?? wellSaid;
    },
    { model: 'claude-sonnet-5-5' },
  );
  const tools = Array.from({ length: 31 }, (_, n) => toolNamed(`t${n}`));
  const { events } = await ask(model, requestOf([hello], { tools }));
  await ask(model, requestOf([hello], { tools }));
  expect(events[0]).toMatchObject({ type: 'retrying', reason: 'without tool search' });
  expect(bodies.map((body) => body.tools.length)).toEqual([32, 31, 31]);
});
