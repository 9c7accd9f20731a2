import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Model, TranscriptMessage } from '../../src/core/index.js';
import { checkMessages, HitlError } from '../../src/core/index.js';
import type { GenerateEvent, GenerateRequest, GenerateResponse } from '../../src/engine/index.js';
import { NO_TOOLS } from '../../src/engine/generate-request.js';
import { generate } from '../../src/engine/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { cancel, defineTool, reject, restart, retry, toolSet } from '../../src/tools/index.js';
import { calls, tool } from './drive.js';

function go(
  request: Partial<GenerateRequest>,
  signal = new AbortController().signal,
): Promise<GenerateResponse> {
  const model = request.model ?? scriptedModel(['done']);
  return generate({ clock: fakeClock(), ...request, model }, signal);
}

/** What a store gives back. */
function stored(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return JSON.parse(JSON.stringify(messages)) as readonly TranscriptMessage[];
}

async function failure(promise: Promise<unknown>): Promise<HitlError> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  if (thrown instanceof HitlError) return thrown;
  throw new Error('it did not fail with an error of ours', { cause: thrown });
}

const ask = tool('ask', (_input, context) => context.resumed ?? context.interrupt('sure?'));

describe('without tools', () => {
  test('none is known, and the model is told so', async () => {
    const response = await go({ prompt: 'hi', model: scriptedModel([calls(['look']), 'sorry']) });
    expect(response.messages[2]?.content[0]?.toolResponse?.output).toBe(
      'unknown tool `look`; available tools: none',
    );
    expect([...NO_TOOLS]).toEqual([]);
  });
});

describe('a response', () => {
  test('has the text of the last model message, also where that is history', async () => {
    const messages: TranscriptMessage[] = [
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'model', content: [{ text: 'hello' }] },
    ];
    const model = scriptedModel([]);
    expect(await go({ messages, model })).toMatchObject({ text: 'hello', messages, message: messages[1] });
    expect(model.requests).toEqual([]);
  });

  test.for([
    ['length', 'length'],
    ['refusal', 'blocked'],
    ['other', 'other'],
  ] as const)('to a reply that ended with %s has the finish reason %s', async ([end, finishReason]) => {
    expect(await go({ prompt: 'hi', model: scriptedModel([{ text: 'x', end }]) })).toMatchObject({
      finishReason,
    });
  });

  test('sums the usage of its own model calls only', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, costUsd: 0.5 };
    const model = scriptedModel([
      { ...calls(['ask']), usage },
      { text: 'done', usage },
    ]);
    const tools = toolSet([ask]);
    const first = await go({ prompt: 'hi', model, tools });
    expect(first.usage).toEqual(usage);
    const second = await go({
      messages: stored(first.messages),
      model,
      tools,
      resume: { restart: restart(first.interrupts[0]!) },
    });
    expect(second.usage).toEqual(usage);
  });

  test('counts the calls that wait', async () => {
    const one = await go({ prompt: 'hi', model: scriptedModel([calls(['ask'])]), tools: toolSet([ask]) });
    expect(one.finishMessage).toBe('1 tool call is waiting for an answer');
    const two = await go({
      prompt: 'hi',
      model: scriptedModel([calls(['ask'], ['ask'])]),
      tools: toolSet([ask]),
    });
    expect(two.finishMessage).toBe('2 tool calls are waiting for an answer');
  });

  test('holds what the tool gave that ended it', async () => {
    const finish = tool('finish', () => 42, { endsRun: true });
    const response = await go({
      prompt: 'hi',
      model: scriptedModel([calls(['finish'])]),
      tools: toolSet([finish]),
    });
    expect(response).toMatchObject({ output: 42, finishReason: 'stop' });
    expect(response.messages.map(({ role }) => role)).toEqual(['user', 'model', 'tool']);
  });

  test('says nothing of an output where a stop condition ended it', async () => {
    const model = scriptedModel([calls(['look'])]);
    const tools = toolSet([tool('look', () => 1)]);
    const response = await go({ prompt: 'hi', model, tools, stopWhen: () => 'enough' });
    expect(response.output).toBeUndefined();
    expect(model.requests.length).toBe(1);
  });
});

describe('events', () => {
  test('tell of text, messages and interrupts as they happen', async () => {
    const events: GenerateEvent[] = [];
    await go({
      prompt: 'hi',
      model: scriptedModel([{ text: 'one moment', ...calls(['ask']) }]),
      tools: toolSet([ask]),
      system: 'be kind',
      onEvent: (event) => void events.push(event),
    });
    expect(events).toEqual([
      { type: 'text-delta', text: 'one ' },
      { type: 'text-delta', text: 'moment' },
      { type: 'tool-input-delta', name: 'ask', characters: 2 },
      {
        type: 'chunk',
        index: 0,
        role: 'model',
        content: [{ text: 'one moment' }, { toolRequest: { name: 'ask', ref: 'r1', input: {} } }],
      },
      { type: 'interrupt', interrupt: expect.objectContaining({ id: 'i1', payload: 'sure?' }) as object },
    ]);
  });
});

describe('words that come with a yes', () => {
  const NOTE = 'use the report of last week';
  const insisting = tool('insisting', (_input, { resumed, interrupt }) =>
    resumed === 'really' ? 'done' : interrupt('sure?'),
  );

  test('go to the model after the results, also if a call asks again first', async () => {
    const model = scriptedModel([calls(['insisting'], ['ask']), 'fine']);
    const tools = toolSet([insisting, ask]);
    const first = await go({ prompt: 'hi', model, tools });
    const [one, other] = first.interrupts;
    const resume = [restart(one!, { note: NOTE }), restart(other!, { note: 'and this' })];
    const second = await go({ messages: stored(first.messages), model, tools, resume });
    expect(second.interrupts.map(({ payload }) => payload)).toEqual(['sure?']);
    const really = [restart(second.interrupts[0]!, { metadata: 'really' })];
    const third = await go({ messages: stored(second.messages), model, tools, resume: really });
    const said = [
      { text: `About the call to insisting (1 of 2): ${NOTE}` },
      { text: 'About the call to ask (2 of 2): and this' },
    ];
    expect(third.messages.slice(-2)).toEqual([
      { role: 'user', content: said },
      { role: 'model', content: [{ text: 'fine' }] },
    ]);
  });

  test('take no place of the results in the stream', async () => {
    const model = scriptedModel([calls(['ask']), 'fine']);
    const tools = toolSet([ask]);
    const { messages, interrupts } = await go({ prompt: 'hi', model, tools });
    const events: GenerateEvent[] = [];
    const onEvent = (event: GenerateEvent): void => void events.push(event);
    const resume = [restart(interrupts[0]!, { note: NOTE })];
    await go({ messages: stored(messages), model, tools, resume, onEvent });
    expect(events.flatMap((event) => (event.type === 'chunk' ? [event] : []))).toEqual([
      {
        ...{ type: 'chunk', index: 0, role: 'tool' },
        content: [{ toolResponse: { name: 'ask', ref: 'r1', output: true } }],
      },
      { type: 'chunk', index: 1, role: 'model', content: [{ text: 'fine' }] },
    ]);
  });
});

describe('answers made by the builders', () => {
  const pay = defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number(), currency: z.string().default('EUR') }),
      needsApproval: true,
    },
    ({ amount, currency }) => `paid ${amount} ${currency}`,
  );
  const start = async () => {
    const model = scriptedModel([calls(['pay', { amount: 1 }]), 'done']);
    const tools = toolSet([pay]);
    const { messages, interrupts } = await go({ prompt: 'hi', model, tools });
    return { model, tools, messages: stored(messages), interrupt: interrupts[0]! };
  };

  test('carry words for the model with a yes to a typed tool', async () => {
    const { interrupt, ...rest } = await start();
    if (!pay.owns(interrupt)) throw new Error('not of this tool');
    const { messages } = await go({ ...rest, resume: [pay.restart(interrupt, { note: 'and stop' })] });
    expect(messages.at(-2)).toEqual({ role: 'user', content: [{ text: 'and stop' }] });
  });

  test.for([
    ['restart', (interrupt) => restart(interrupt), 'paid 1 EUR'],
    ['an edit', (interrupt) => restart(interrupt, { input: { amount: 2 } }), 'paid 2 EUR'],
    [
      'reject',
      (interrupt) => reject(interrupt, { reason: 'no' }),
      'the user rejected this call; it did not run: no',
    ],
    ['cancel', (interrupt) => cancel(interrupt), 'cancelled by the user; it did not run'],
  ] as const satisfies readonly (readonly [
    string,
    (i: GenerateResponse['interrupts'][number]) => unknown,
    string,
  ])[])('are taken, with the defaults of the schema: %s', async ([, build, output]) => {
    const { interrupt, ...rest } = await start();
    const response = await go({ ...rest, resume: { restart: build(interrupt) } });
    expect(response.messages.at(-2)?.content[0]?.toolResponse?.output).toBe(output);
  });

  test('that do not fit the kind are refused where they are built', async () => {
    const { interrupt } = await start();
    expect(() => retry(interrupt)).toThrow('`retry` does not answer `pay#r1` (i1)');
  });

  test('beside parts of Genkit for other calls', async () => {
    const model = scriptedModel([calls(['ask'], ['ask']), 'done']);
    const tools = toolSet([ask]);
    const { messages, interrupts } = await go({ prompt: 'hi', model, tools });
    const response = await go({
      messages,
      model,
      tools,
      resume: {
        respond: { toolResponse: { name: 'ask', ref: 'r2', output: 'b' } },
        restart: [restart(interrupts[0]!, { metadata: 'a' })],
      },
    });
    expect(response.messages.at(-2)?.content.map((part) => part.toolResponse?.output)).toEqual(['a', 'b']);
  });
});

describe('an edit in a part of Genkit', () => {
  const start = async () => {
    const model = scriptedModel([calls(['ask', { n: 1 }]), 'done']);
    const { messages } = await go({ prompt: 'hi', model, tools: toolSet([ask]) });
    return { model, tools: toolSet([ask]), messages };
  };
  const part = (input: object, metadata?: object) =>
    ({ toolRequest: { name: 'ask', ref: 'r1', input }, ...(metadata && { metadata }) }) as never;

  test('must say what it replaces, as it stands', async () => {
    const request = await start();
    const forged = await failure(go({ ...request, resume: { restart: part({ n: 2 }) } }));
    expect(forged).toMatchObject({
      code: 'INVALID_RESUME',
      message: expect.stringContaining('the input of `ask#r1` (i1) differs from the pending input') as string,
    });
    const stale = part({ n: 2 }, { replacedInput: { n: 9 } });
    expect(await failure(go({ ...request, resume: { restart: stale } }))).toMatchObject({
      code: 'INVALID_RESUME',
    });
    const edit = part({ n: 2 }, { replacedInput: { n: 1 } });
    expect(await go({ ...request, resume: { restart: edit } })).toMatchObject({ text: 'done' });
  });

  test('that changes nothing is none', async () => {
    const { messages } = await go({
      ...(await start()),
      resume: { restart: part({ n: 1 }, { replacedInput: { n: 1 } }) },
    });
    expect(messages[1]?.content[0]?.metadata).toEqual({ resolvedInterrupt: 'sure?' });
  });
});

describe('every problem of a resume', () => {
  test('is told in one error, and nothing runs', async () => {
    const entered: unknown[] = [];
    const counted = tool('ask', (_input, context) => {
      entered.push(context.resumed);
      return context.resumed ?? context.interrupt();
    });
    const model = scriptedModel([calls(['ask'], ['ask'], ['ask'])]);
    const { messages } = await go({ prompt: 'hi', model, tools: toolSet([counted]) });
    const error = await failure(
      go({
        messages,
        model,
        tools: toolSet([counted]),
        resume: {
          respond: [{ text: 'hm' }, { toolResponse: { name: 'ghost', output: 1 } }],
          restart: { toolRequest: { name: 'ask', ref: 'r1', input: {} } },
        },
      }),
    );
    expect(error.detail).toEqual({
      problems: [
        { kind: 'unknown', interrupt: '', message: 'an item in `respond` has no `toolResponse`' },
        {
          kind: 'unknown',
          interrupt: '',
          message: 'no open call `ghost`; unresolved: `ask#r1` (i1), `ask#r2` (i2), `ask#r3` (i3)',
        },
        { kind: 'missing', interrupt: 'i2', message: '`ask#r2` (i2) is not answered' },
        { kind: 'missing', interrupt: 'i3', message: '`ask#r3` (i3) is not answered' },
      ],
    });
    expect(entered).toHaveLength(3);
    expect(model.requests).toHaveLength(1);
  });

  test('is told for a cancel beside it too', async () => {
    const messages: TranscriptMessage[] = [
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'model', content: [{ toolRequest: { name: 'ask', ref: 'r1' } }] },
    ];
    expect(await failure(go({ messages, resume: {}, cancelOpen: true }))).toMatchObject({
      code: 'NOTHING_TO_RESUME',
      message: '`cancelOpen` and `resume` cannot be used together',
    });
  });
});

describe('a resume that names another tool', () => {
  test('than the call with its ref is told so, and not that it is stale', async () => {
    const tools = toolSet([ask]);
    const { messages } = await go({ prompt: 'hi', model: scriptedModel([calls(['ask'])]), tools });
    const resume = { respond: { toolResponse: { name: 'nope', ref: 'r1', output: 1 } } };
    expect((await failure(go({ messages, tools, resume }))).message).toBe(
      'unknown call `nope#r1`: the call with this ref is for `ask`; `ask#r1` (i1) is not answered',
    );
  });
});

describe('a history that others damaged', () => {
  test('whose call takes no cancel cannot be cancelled with the open calls, and says so', async () => {
    const asked = await go({ prompt: 'hi', model: scriptedModel([calls(['ask'])]), tools: toolSet([ask]) });
    const [user, model] = stored(asked.messages);
    const content = model!.content.map((part) => ({
      ...part,
      metadata: { ...part.metadata, hitl: { ...(part.metadata!['hitl'] as object), allowed: ['restart'] } },
    }));
    const messages = [user!, { ...model!, content }];
    expect(await failure(go({ messages, cancelOpen: true, prompt: 'more' }))).toMatchObject({
      code: 'INVALID_RESUME',
      message: '`cancel` does not answer `ask#r1` (i1); it takes: restart',
    });
  });

  test('is sent whole: each request with one result, and refs of their own (G19, G22)', async () => {
    const model = scriptedModel([{ text: 'x', when: { user: 'again' } }]);
    const asks: TranscriptMessage = { role: 'model', content: [{ toolRequest: { name: 'ask', ref: 'a' } }] };
    const messages: TranscriptMessage[] = [
      { role: 'user', content: [{ text: 'hi' }] },
      asks,
      { role: 'tool', content: [{ toolResponse: { name: 'ask', ref: 'a', output: 1 } }] },
      asks,
      { role: 'user', content: [{ text: 'again' }] },
    ];
    const response = await go({ messages, model });
    expect(checkMessages(model.requests[0]!.messages)).toEqual([]);
    expect(response.messages.slice(0, -1)).toEqual(messages);
  });
});

describe('the key that a tool passes on to tell repeats', () => {
  async function keysOf(...requests: readonly Partial<GenerateRequest>[]): Promise<readonly string[]> {
    const keys: string[] = [];
    const keyed = tool('ask', (_input, context) => {
      keys.push(context.idempotencyKey);
      return context.resumed ?? context.interrupt();
    });
    for (const request of requests) {
      const model = scriptedModel([calls(['ask']), 'done']);
      const tools = toolSet([keyed]);
      const first = await go({ ...request, model, tools });
      await go({
        ...(request.runId !== undefined && { runId: request.runId }),
        messages: stored(first.messages),
        model,
        tools,
        resume: { restart: restart(first.interrupts[0]!) },
      });
    }
    return keys;
  }

  test('is the same over an interrupt and its resume, and differs between conversations', async () => {
    const [first, again, other] = await keysOf({ prompt: 'pay Ann' }, { prompt: 'pay Bob' });
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toMatch(/^generate-[0-9a-f]{16}:r1$/);
  });

  test('is made of the name that a caller gives', async () => {
    expect(await keysOf({ prompt: 'pay Ann', runId: 'order-7' })).toEqual(['order-7:r1', 'order-7:r1']);
  });
});

describe('what fails', () => {
  test('in the model is thrown as it is', async () => {
    const error = new HitlError('MODEL_FAILED', 'overloaded');
    const model = scriptedModel([{ error: { message: 'overloaded' } }]);
    expect(await failure(go({ prompt: 'hi', model }))).toMatchObject({
      code: error.code,
      message: error.message,
    });
  });

  test('in the model, without being an error, is wrapped', async () => {
    const model: Model = {
      id: 'odd',
      // oxlint-disable-next-line require-yield -- it fails before there is anything to tell
      async *generate() {
        throw 'words'; // oxlint-disable-line typescript/only-throw-error -- models of others do
      },
    };
    expect(await failure(go({ prompt: 'hi', model }))).toMatchObject({
      code: 'MODEL_FAILED',
      message: 'words',
      cause: { message: 'words', cause: 'words' },
      detail: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
    });
  });

  test('by its turns or a stop keeps the messages until then', async () => {
    const look = tool('look', () => 'seen');
    const model = scriptedModel([calls(['look']), calls(['look', {}, 'r2']), calls(['look', {}, 'r3'])]);
    const limited = await failure(go({ prompt: 'hi', model, tools: toolSet([look]), maxTurns: 2 }));
    expect(limited.detail).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'model' },
        { role: 'tool' },
        { role: 'model' },
        { role: 'tool' },
        { role: 'model' },
      ],
    });
    const stop = new AbortController();
    stop.abort();
    const stopped = await failure(go({ prompt: 'hi' }, stop.signal));
    expect(stopped).toMatchObject({
      code: 'ABORTED',
      detail: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
    });
  });

  test('by its turns says how many the default allows', async () => {
    const look = tool('look', () => 'seen');
    const model = scriptedModel(Array.from({ length: 6 }, (_, index) => calls(['look', {}, `r${index}`])));
    const error = await failure(go({ prompt: 'hi', model, tools: toolSet([look]) }));
    expect(error.message).toBe('more than 5 rounds of tool calls');
  });
});

describe('a call that a stop left running', () => {
  test('is in doubt for whoever takes the messages up again (law 7)', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const deaf = tool('deaf', () => {
      stop.abort();
      return new Promise(() => undefined);
    });
    const model = scriptedModel([calls(['deaf']), 'done']);
    const running = failure(go({ prompt: 'hi', model, tools: toolSet([deaf]), clock }, stop.signal));
    await clock.untilSleeping();
    await clock.advance(2_000);
    const { messages = [] } = (await running).detail ?? {};
    const request = { messages: stored(messages), model, tools: toolSet([deaf]) };
    const restarted = await failure(
      go({ ...request, resume: { restart: { toolRequest: { name: 'deaf', ref: 'r1', input: {} } } } }),
    );
    expect(restarted.message).toContain('`restart` does not answer `deaf#r1` (i1); it takes: respond, retry');
    const response = await go({
      ...request,
      resume: { respond: { toolResponse: { name: 'deaf', ref: 'r1', output: 'it did' } } },
    });
    expect(response.text).toBe('done');
  });
});

describe('cancelling what waits', () => {
  test('also cancels what was handed back and never run', async () => {
    const model = scriptedModel([calls(['ask']), 'fine']);
    const first = await go({ prompt: 'hi', model, tools: toolSet([ask]), returnToolRequests: true });
    const response = await go({
      messages: stored(first.messages),
      model,
      tools: toolSet([ask]),
      cancelOpen: true,
    });
    expect(response.messages.slice(1)).toEqual([
      { role: 'model', content: [{ toolRequest: { name: 'ask', ref: 'r1', input: {} } }] },
      {
        role: 'tool',
        content: [
          {
            toolResponse: { name: 'ask', ref: 'r1', output: 'cancelled by the user; it did not run' },
            metadata: { hitl: { error: 'cancelled' } },
          },
        ],
        metadata: { resumed: true },
      },
      { role: 'model', content: [{ text: 'fine' }] },
    ]);
  });
});

test('what ran before the model failed is in the error, and is not run again', async () => {
  let ran = 0;
  const paid = defineTool({ name: 'paid', description: 'Pays.', input: z.object({}) }, () => {
    ran += 1;
    return 'paid';
  });
  const failing = scriptedModel([
    { tools: [{ name: 'paid', input: {}, ref: 'r1' }] },
    { error: { message: 'overloaded' } },
  ]);
  const request = { model: failing, clock: fakeClock(), tools: toolSet([paid]), prompt: 'pay' };
  const error = await generate(request, new AbortController().signal).catch(
    (thrown: unknown) => thrown as HitlError,
  );
  expect(error).toMatchObject({ code: 'MODEL_FAILED', message: 'overloaded' });
  const { messages = [] } = (error as HitlError).detail ?? {};
  const on = {
    model: scriptedModel(['first', 'done']),
    clock: fakeClock(),
    tools: toolSet([paid]),
    messages,
  };
  expect((await generate(on, new AbortController().signal)).text).toBe('done');
  expect(ran).toBe(1);
});
