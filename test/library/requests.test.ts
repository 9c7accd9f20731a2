import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { GenerateOptions } from '../../src/index.js';
import { answers, defineTool, generate, HitlError } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

let ran = 0;
const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  () => (ran += 1),
);

async function waiting() {
  const call = { name: 'pay', input: { amount: 5 }, ref: 'c1' };
  const asked = await generate({ model: scriptedModel([{ tools: [call] }]), tools: [pay], prompt: 'go' });
  return { asked, good: answers.restart(asked.interrupts[0]!) };
}

/** What `generate` throws at a request; the model would answer anything. */
async function refusal(request: object): Promise<HitlError> {
  const model = scriptedModel(['x', 'y', 'z']);
  const options = { model, tools: [pay], ...request };
  const thrown: unknown = await generate(options as GenerateOptions).catch((error: unknown) => error);
  if (!(thrown instanceof HitlError)) throw new Error('it was not refused by us', { cause: thrown });
  expect(model.requests).toEqual([]);
  expect(thrown.status).toBe('INVALID_ARGUMENT');
  return thrown;
}

describe('F4, F9, L4, L6, L9: a resume that is not of its type is refused before anything runs, saying where', () => {
  const FORM =
    '`resume` must be a list of answers, or {"respond":[…],"restart":[…]} with answers or message parts';
  const item = (place: string) => `\`${place}\` must be an answer or a message part`;
  const json = '`output` must be a JSON value';

  test.for<[string, unknown, string]>([
    ['null', null, FORM],
    ['a text', 'approve', FORM],
    ['a list without answers', [], '`pay#c1` (i1) is not answered'],
    [
      'a list of anything',
      [null, 'yes', { toolRequest: { name: 'pay', ref: 'c1' } }],
      [
        'invalid answer `resume[0]`: an answer must be an object with id, digest, resolution and by',
        'invalid answer `resume[1]`: an answer must be an object with id, digest, resolution and by',
        'invalid answer `resume[2]`: `id` must be an interrupt id',
      ].join('; '),
    ],
    ['a misspelt member', { respnd: [] }, `unknown property \`respnd\` of \`resume\`: ${FORM}`],
    ['metadata that is no JSON', { metadata: () => 1 }, '`metadata` must be a JSON value'],
    ['respond null', { respond: null }, item('respond')],
    ['restart as a text', { restart: 'approve' }, item('restart')],
    [
      'items that are nothing',
      { respond: [null, 5, 'x'] },
      [0, 1, 2].map((n) => item(`respond[${n}]`)).join('; '),
    ],
    [
      'a response of null',
      { respond: [{ toolResponse: null }] },
      '`respond[0].toolResponse` must be an object',
    ],
    ['a request of null', { restart: [{ toolRequest: null }] }, '`restart[0].toolRequest` must be an object'],
    [
      'a part without a name',
      { restart: { toolRequest: {} } },
      '`restart.toolRequest.name` must be a string',
    ],
    [
      'a part of two kinds',
      { restart: { toolRequest: { name: 'pay' }, text: 'x' } },
      '`restart` must have exactly one of text, reasoning, media, data, toolRequest, toolResponse',
    ],
    [
      'a part without an output',
      { respond: [{ toolResponse: { name: 'pay', ref: 'c1' } }] },
      '`respond[0].toolResponse` has no `output`, which may be `null`',
    ],
    [
      'a part with a date',
      { respond: [{ toolResponse: { name: 'pay', output: new Date(0) } }] },
      '`respond[0].toolResponse.output` must be a JSON value',
    ],
  ])('%s', async ([, resume, message]) => {
    const { asked } = await waiting();
    const error = await refusal({ messages: asked.messages, resume });
    expect([error.code, error.message]).toEqual(['INVALID_RESUME', message]);
  });

  test.for<[string, unknown, string]>([
    ['no resolution', undefined, '`resolution` must be an object with an action'],
    ['a resolution of null', null, '`resolution` must be an object with an action'],
    ['an unknown action', { action: 'approve' }, 'unknown action `approve`'],
    ['no output', { action: 'respond' }, json],
    ['an output that is a function', { action: 'respond', output: () => 1 }, json],
    ['an output that is a big integer', { action: 'respond', output: 10n }, json],
    ['an output that is no number', { action: 'respond', output: { a: [Number.NaN] } }, json],
    ['an output that is a date', { action: 'respond', output: new Date(0) }, json],
    ['a reason that is no text', { action: 'reject', reason: { why: 'no' } }, '`reason` must be a string'],
    ['a plan of its own', { action: 'restart', shown: {} }, 'unknown property `shown` of `restart`'],
    [
      'parts of a response that are none',
      { action: 'respond', output: 1, verbatim: { content: [5] } },
      '`verbatim.content[0]` must be a part',
    ],
  ])('an answer with %s', async ([, resolution, message]) => {
    const { asked, good } = await waiting();
    const error = await refusal({ messages: asked.messages, resume: { restart: [{ ...good, resolution }] } });
    expect([error.code, error.message]).toEqual([
      'INVALID_RESUME',
      `\`restart[0]\` is no answer: ${message}`,
    ]);
  });

  test('an answer of nobody', async () => {
    const { asked, good } = await waiting();
    const by = { kind: 'human', name: 'slack' };
    const error = await refusal({ messages: asked.messages, resume: { restart: { ...good, by } } });
    expect(error.message).toBe('`restart` is no answer: `by.type` must be person, script or rule');
  });

  test('and one that is of its type runs', async () => {
    const { asked, good } = await waiting();
    const before = ran;
    const { messages } = asked;
    await generate({ model: scriptedModel(['x', 'y']), tools: [pay], messages, resume: { restart: good } });
    expect(ran).toBe(before + 1);
  });
});

describe('F4: messages that are not of their type are refused, saying where', () => {
  test.for<[unknown, string]>([
    ['hello', '`messages` must be a list of messages'],
    [[null], '`messages[0]` must be a message with role and content'],
    [[{ role: 'user' }], '`messages[0].content` must be a list of parts'],
    [[{ role: 'user', content: 'hello' }], '`messages[0].content` must be a list of parts'],
    [
      [{ role: 'user', content: [null] }],
      '`messages[0].content[0]` must be a part, such as {"text":"hello"}',
    ],
    [[{ role: 'user', content: [{ text: 5 }] }], '`messages[0].content[0].text` must be a string'],
    [[{ role: 'assistant', content: [] }], '`messages[0].role` must be one of system, user, model, tool'],
    [[{ role: 'wizard', content: [] }], '`messages[0].role` must be one of system, user, model, tool'],
    [[{ content: [{ text: 'x' }] }], '`messages[0].role` must be one of system, user, model, tool'],
    [
      [{ role: 'user', content: [{ text: 'x', metadata: 'y' }] }],
      '`messages[0].content[0].metadata` must be an object of JSON values',
    ],
    [
      [{ role: 'tool', content: [{ toolResponse: { name: 'a', content: [{ text: 1 }] } }] }],
      '`messages[0].content[0].toolResponse.content[0].text` must be a string',
    ],
  ])('%j', async ([messages, message]) => {
    const error = await refusal({ messages });
    expect([error.code, error.message]).toEqual(['BAD_TRANSCRIPT', `invalid messages: ${message}`]);
  });

  test('and members that are undefined count as absent', async () => {
    const messages = [
      { role: 'user', content: [{ text: 'hi', data: undefined }], metadata: undefined },
    ] as never;
    expect((await generate({ model: scriptedModel(['hello']), messages })).text).toBe('hello');
  });
});

describe('a request that cannot be meant is refused', () => {
  test.for<[string, object, string, string]>([
    ['with nothing to say', {}, 'BAD_INPUT', 'missing `prompt` or `messages`'],
    ['with no messages', { messages: [] }, 'BAD_INPUT', 'missing `prompt` or `messages`'],
    ['with a prompt that is no text', { prompt: 5 }, 'BAD_INPUT', '`prompt` must be a string'],
    [
      'with a system prompt that is no text',
      { prompt: 'x', system: [] },
      'BAD_INPUT',
      '`system` must be a string',
    ],
    [
      'with less than no rounds',
      { prompt: 'x', maxTurns: -1 },
      'BAD_CONFIG',
      '`maxTurns` must be a number of at least 0, got -1',
    ],
    [
      'with rounds that are no number',
      { prompt: 'x', maxTurns: Number.NaN },
      'BAD_CONFIG',
      '`maxTurns` must be a number of at least 0, got NaN',
    ],
    [
      'with a tool that is none',
      { prompt: 'x', tools: [pay, { name: 'x' }] },
      'BAD_CONFIG',
      'not a valid tool: number 2 in the list',
    ],
    ['with tools that are no list', { prompt: 'x', tools: null }, 'BAD_CONFIG', 'tools must be a list'],
  ])('%s', async ([, request, code, message]) => {
    const error = await refusal(request);
    expect([error.code, error.message]).toEqual([code, message]);
  });

  test('without a model', async () => {
    await expect(generate({ prompt: 'x', model: 'gpt' } as never)).rejects.toThrow(
      '`model` is not a valid model',
    );
  });
});

describe('F5, L13, L14: a restart that passes on what its tool forbids', () => {
  const told: unknown[] = [];
  const send = defineTool(
    { name: 'send', description: 'Sends.', resume: z.object({ ok: z.boolean() }) },
    (_input, context) => {
      if (context.resumed === undefined) return context.interrupt({ sure: true });
      told.push(context.resumed);
      return 'sent';
    },
  );
  const part = (resumed: unknown) => ({
    toolRequest: { name: 'send', ref: 'c1', input: {} },
    metadata: { resumed },
  });

  test('is refused as a part and as an answer, and the question can be answered again', async () => {
    const script = [{ tools: [{ name: 'send', input: {}, ref: 'c1' }] }];
    const asked = await generate({ model: scriptedModel(script), tools: [send], prompt: 'go' });
    const bad = answers.restart(asked.interrupts[0]!, { metadata: { ok: 'yes' } });
    for (const restart of [bad, part({ ok: 'yes' })]) {
      const error = await refusal({ messages: asked.messages, tools: [send], resume: { restart } });
      expect([error.code, error.message]).toEqual([
        'INVALID_RESUME',
        'invalid `metadata` for `send#c1` (i1): ok: expected boolean, received string',
      ]);
    }
    const { messages } = asked;
    const resume = { restart: part({ ok: true }) as never };
    const model = scriptedModel(['x', 'done']);
    expect((await generate({ model, tools: [send], messages, resume })).text).toBe('done');
    expect(told).toEqual([{ ok: true }]);
  });
});

test.for(['respond', 'restart'] as const)(
  'F7, L2, L3: a %s of a tool that is not offered, with the ref of one that waits, says whose the call is',
  async (action) => {
    const { asked } = await waiting();
    const part =
      action === 'respond'
        ? { toolResponse: { name: 'nope', ref: 'c1', output: 1 } }
        : { toolRequest: { name: 'nope', ref: 'c1', input: {} } };
    const error = await refusal({ messages: asked.messages, resume: { [action]: part } });
    expect([error.code, error.message]).toEqual([
      'INVALID_RESUME',
      'unknown call `nope#c1`: the call with this ref is for `pay`; `pay#c1` (i1) is not answered',
    ]);
  },
);
