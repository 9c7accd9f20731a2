import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { AiSdkCall, AiSdkModel } from '../../src/library/ai-sdk.js';
import { fromAiSdk } from '../../src/library/ai-sdk.js';
import type { Model } from '../../src/index.js';
import { answers, defineTool, generate, HitlError } from '../../src/index.js';
import { fakeClock } from '../../src/testing/index.js';

interface Played {
  readonly model: AiSdkModel;
  readonly calls: AiSdkCall[];
  cancelled: number;
}

/** A model of the AI SDK that plays streams, one for each request; a function throws or waits in place of one. */
function playing(
  replies: readonly (readonly object[] | (() => Promise<never>))[],
  specificationVersion = 'v3',
): Played {
  const left = [...replies];
  const played: Played = {
    calls: [],
    cancelled: 0,
    model: {
      specificationVersion,
      provider: 'acme.chat',
      modelId: 'm1',
      doStream: async (options) => {
        played.calls.push(options);
        const reply = left.shift() ?? [];
        if (typeof reply === 'function') return reply();
        const parts = [...reply];
        const pull = (controller: ReadableStreamDefaultController<unknown>) => {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        };
        const cancel = () => void (played.cancelled += 1);
        return Promise.resolve({ stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) });
      },
    },
  };
  return played;
}

const text = (id: string, ...deltas: readonly string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const call = (toolCallId: string, toolName: string, input: string, more = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
  ...more,
});
const finish = (unified = 'stop', total = 3) => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: {
    inputTokens: { total: 7, noCache: 5, cacheRead: 2, cacheWrite: undefined },
    outputTokens: { total, text: total, reasoning: undefined },
  },
});

const model = (played: Played, clock = fakeClock()): Model =>
  fromAiSdk(played.model, { clock, random: () => 0.5 });
const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => ({ paid: amount }),
);
const square = defineTool({ name: 'square', description: 'Squares.', input: z.number() }, (n) => n * n);

async function failure(promise: Promise<unknown>): Promise<HitlError> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  if (thrown instanceof HitlError) return thrown;
  throw new Error('it is no error of ours', { cause: thrown });
}

describe('a model of the AI SDK', () => {
  test('streams text and reasoning, and tells what was used', async () => {
    const played = playing([
      [
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'hm' },
        { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { signature: 's' } } },
        ...text('1', 'hel', 'lo'),
        finish(),
      ],
    ]);
    const told: unknown[] = [];
    const response = await generate({
      model: model(played),
      system: 'be kind',
      prompt: 'hi',
      onEvent: (event) => {
        if (event.type === 'text-delta' || event.type === 'reasoning-delta') told.push(event.text);
      },
    });
    expect(told).toEqual(['hm', 'hel', 'lo']);
    expect([response.text, response.usage, response.finishReason]).toEqual([
      'hello',
      { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 },
      'stop',
    ]);
    expect(played.calls[0]?.prompt).toEqual([
      { role: 'system', content: 'be kind' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ]);
  });

  test('asks for tools in parallel, is told their results, and gets its own words back', async () => {
    const signed = { providerMetadata: { acme: { signature: 's' } } };
    const played = playing([
      [
        { type: 'tool-input-start', id: 'a', toolName: 'pay' },
        { type: 'tool-input-delta', id: 'a', delta: '{"amount":5}' },
        call('a', 'pay', '{"amount":5}', signed),
        call('b', 'square', '{"value":3}'),
        finish('tool-calls'),
      ],
      [...text('1', 'done'), finish()],
    ]);
    const request = { model: model(played), tools: [pay, square] };
    const asked = await generate({ ...request, prompt: 'go' });
    expect(asked.interrupts.map(({ source }) => source)).toMatchObject([
      { name: 'pay', input: { amount: 5 } },
    ]);
    const resume = [answers.restart(asked.interrupts[0]!, { input: { amount: 6 } })];
    expect((await generate({ ...request, messages: asked.messages, resume })).text).toBe('done');
    expect(played.calls[1]?.prompt.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'a',
            toolName: 'pay',
            input: { amount: 6 },
            providerOptions: { acme: { signature: 's' } },
          },
          { type: 'tool-call', toolCallId: 'b', toolName: 'square', input: { value: 3 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'pay',
            output: { type: 'json', value: { paid: 6 } },
          },
          { type: 'tool-result', toolCallId: 'b', toolName: 'square', output: { type: 'json', value: 9 } },
        ],
      },
    ]);
    expect(played.calls[0]?.tools).toMatchObject([
      { type: 'function', name: 'pay', inputSchema: pay.inputSchema },
      { name: 'square', inputSchema: { type: 'object', properties: { value: { type: 'number' } } } },
    ]);
  });

  test.for<[string, string]>([
    ['input that is no JSON', '{"amount":'],
    ['input with a forbidden key', '{"__proto__":{}}'],
  ])('that gives a tool %s is told so, and nobody is asked', async ([, input]) => {
    const played = playing([
      [call('a', 'pay', input), finish('tool-calls')],
      [...text('1', 'sorry'), finish()],
    ]);
    expect((await generate({ model: model(played), tools: [pay], prompt: 'go' })).text).toBe('sorry');
    expect(played.calls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'error-text' } }],
    });
  });

  test('of version 2 is read, whose usage and end are plain', async () => {
    const end = {
      type: 'finish',
      finishReason: 'length',
      usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6, cachedInputTokens: 1 },
    };
    const played = playing([[...text('1', 'cut'), call('a', 'pay', '{"amount":5}'), end]], 'v2');
    const response = await generate({ model: model(played), tools: [pay], prompt: 'go' });
    expect([response.finishReason, response.usage, response.interrupts]).toEqual([
      'length',
      { inputTokens: 4, outputTokens: 2, cacheReadTokens: 1 },
      [],
    ]);
  });

  test('that fails is an error of ours with what the provider said, and no key', async () => {
    const refused = Object.assign(new Error('bad key sk-abcdefgh1234'), {
      name: 'AI_APICallError',
      statusCode: 401,
      isRetryable: false,
      responseHeaders: { 'x-request-id': 'q1' },
    });
    const error = await failure(
      generate({ model: model(playing([() => Promise.reject(refused)])), prompt: 'hi' }),
    );
    expect([error.code, error.detail]).toMatchObject([
      'MODEL_FAILED',
      { status: 401, retryable: false, requestId: 'q1' },
    ]);
    expect(error.message).not.toContain('sk-abcdefgh1234');
  });

  test('that is overloaded is asked again, also where it says so in its stream', async () => {
    const busy = Object.assign(new Error('busy'), { statusCode: 529, isRetryable: true });
    const played = playing([
      () => Promise.reject(busy),
      [...text('1', 'ha'), { type: 'error', error: busy }],
      [...text('1', 'hello'), finish()],
    ]);
    const clock = fakeClock({ auto: true });
    const response = await generate({ model: model(played, clock), clock, prompt: 'hi' });
    expect(response.text).toBe('hello');
    expect([played.calls.length, played.cancelled]).toEqual([3, 1]);
  });

  test('whose stream ends before its reply has none', async () => {
    const played = playing(Array.from({ length: 9 }, () => text('1', 'half')));
    const clock = fakeClock({ auto: true });
    const error = await failure(generate({ model: model(played, clock), clock, prompt: 'hi' }));
    expect([error.code, error.message]).toEqual([
      'MODEL_FAILED',
      expect.stringContaining('the stream ended before the reply did') as string,
    ]);
  });

  test('is told of a stop, which is at once', async () => {
    const stop = new AbortController();
    const played = playing([() => new Promise<never>(() => undefined)]);
    const running = failure(generate({ model: model(played), prompt: 'hi', signal: stop.signal }));
    await Promise.resolve();
    stop.abort();
    expect((await running).code).toBe('ABORTED');
    expect(played.calls.every(({ abortSignal }) => abortSignal?.aborted === true)).toBe(true);
  });

  test.for<[string, unknown, string]>([
    ['nothing', undefined, 'this is not an AI SDK language model'],
    ['a name', 'gpt-5', 'this is not an AI SDK language model'],
    ['an old version', playing([], 'v1').model, 'unsupported model version `v1`'],
  ])('that is %s is refused', ([, given, message]) => {
    expect(() => fromAiSdk(given as AiSdkModel, { clock: fakeClock() })).toThrow(message);
  });

  test('is a model like others', () => {
    expectTypeOf(fromAiSdk).returns.toExtend<Model>();
    expect(model(playing([])).id).toBe('ai-sdk:acme.chat/m1');
  });
});

describe('what a package tells of a reply', () => {
  const once = async (parts: readonly object[], version = 'v4') => {
    const clock = fakeClock({ auto: true });
    const played = playing([parts, ...Array.from({ length: 4 }, () => parts)], version);
    const asked = generate({ model: model(played, clock), clock, tools: [pay], prompt: 'go' });
    return { asked, played };
  };
  const ended = (unified: string, raw?: string) => ({ ...finish(unified), finishReason: { unified, raw } });

  test.for<[string, readonly object[], string, number]>([
    [
      'two calls of one id',
      [call('a', 'pay', '{"amount":5}'), call('a', 'pay', '{"amount":6}'), finish('tool-calls')],
      'two tool calls have the id `a`',
      1,
    ],
    ['an end for calls that are not there', [finish('tool-calls')], 'contains none that can run', 1],
    [
      'an end without a word of the provider',
      [...text('1', 'ha'), ended('other')],
      'ended before the reply did',
      5,
    ],
    [
      'a stream that was broken off',
      [...text('1', 'ha'), ended('interrupted')],
      'ended before the reply did',
      5,
    ],
    ['an end by an error', [...text('1', 'ha'), ended('error')], 'ended the reply with an error', 5],
    [
      'ten thousand parts and one',
      Array.from({ length: 10_001 }, (_, at) => text(`${at}`)[0]!),
      'too many parts',
      1,
    ],
    [
      'more text than anybody reads',
      Array.from({ length: 65 }, () => ({ type: 'text-delta', id: '1', delta: 'x'.repeat(1_000_000) })),
      'the reply is too large',
      1,
    ],
  ])('is refused where it is %s', async ([, parts, words, tries]) => {
    const { asked, played } = await once(parts);
    const error = await failure(asked);
    expect([error.code, error.message, played.calls.length]).toEqual([
      'MODEL_FAILED',
      expect.stringContaining(words) as string,
      tries,
    ]);
  });

  test('has a name for a call without one, and none is asked about whose number would be rounded', async () => {
    const parts = [call('', 'pay', '{"amount":5}'), call('', 'pay', '{"amount":12345678901234567890}')];
    const response = await (await once([...parts, finish('tool-calls')])).asked;
    expect(response.interrupts.map(({ source }) => source)).toMatchObject([{ input: { amount: 5 } }]);
    const refs = response.messages.flatMap(({ content }) =>
      content.flatMap((part) => ('toolRequest' in part ? [part.toolRequest.ref] : [])),
    );
    expect(refs).toEqual(['call-1-1', 'call-1-2']);
  });

  test('has words in place of a call that was cut, and streams them', async () => {
    const { asked } = await once([
      ...text('1', 'I pay.'),
      call('a', 'pay', '{"amount":5}'),
      finish('length'),
    ]);
    expect((await asked).text).toBe('I pay.\n\n[A call to pay was cut off (length) and did not run.]');
  });

  test('is silent for so long only', async () => {
    const clock = fakeClock({ auto: true });
    const played = playing(Array.from({ length: 5 }, () => () => new Promise<never>(() => undefined)));
    const silent = fromAiSdk(played.model, { clock, silenceMs: 1000 });
    const error = await failure(generate({ model: silent, clock, prompt: 'go' }));
    expect([error.message, played.calls.length]).toEqual([
      'acme.chat failed: the stream was silent for 1 s, after 5 tries',
      5,
    ]);
  });
});
