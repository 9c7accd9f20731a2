import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type {
  InboxEvent,
  JsonObject,
  JsonValue,
  Message,
  Model,
  ModelReply,
  ModelRequest,
  Resolution,
  ResolutionAction,
  Situation,
  Usage,
} from '../../src/core/index.js';
import {
  messageActions,
  checkMessages,
  interruptId,
  isLegalToolName,
  makeInterrupt,
  nodePath,
  ROOT_PATH,
  toolRef,
} from '../../src/core/index.js';
import { sessionEventSchema } from '../../src/core/told/schemas.js';
import type { ReasonerOptions } from '../../src/reasoner/index.js';
import { chooseAction } from '../../src/reasoner/index.js';
import { jsonValues } from '../helpers/arbitraries.js';
import { AT } from '../helpers/events.js';

type Answer = ModelReply | Error;

interface Asked extends Model {
  readonly requests: readonly (Omit<ModelRequest, 'messages'> & { readonly messages: readonly Message[] })[];
}

/** A model that gives these answers, one for each request. */
function answering(...answers: readonly Answer[]): Asked {
  const requests: Asked['requests'][number][] = [];
  return {
    id: 'test:model',
    requests,
    async *generate(request) {
      requests.push({ ...request, messages: request.messages.toArray() });
      const answer = answers[requests.length - 1];
      if (answer === undefined) return;
      if (answer instanceof Error) throw answer;
      yield { type: 'text-delta', text: 'hm' };
      yield { type: 'reply', reply: answer };
    },
  };
}

const usage: Usage = { inputTokens: 100, outputTokens: 10 };

function calls(...tools: readonly (readonly [name: string, input: JsonValue])[]): ModelReply {
  const content = tools.map(([name, input], index) => {
    return { type: 'tool-request', ref: toolRef(`r${index}`), name, input } as const;
  });
  return { content, end: 'tool-use', usage };
}

function call(name: string, input: JsonObject = {}): ModelReply {
  return calls([name, { reason: 'it says so', confidence: 0.9, ...input }]);
}

const prose: ModelReply = {
  content: [{ type: 'text', text: 'I would go back. ```json\n{"action":"go-back"}\n```' }],
  end: 'stop',
  usage,
};

const ALL = messageActions();

function situation(given: Partial<Situation> = {}): Situation {
  const message = { id: 'm1', text: 'the draft is too long, try again' };
  return { message, point: { phase: 'after', path: nodePath('draft@2') }, offered: ALL, open: [], ...given };
}

async function choose(
  model: Model,
  given: Partial<Situation> = {},
  options: Omit<ReasonerOptions, 'model'> = {},
  signal = new AbortController().signal,
): Promise<Extract<InboxEvent, { type: 'action-chosen' }>> {
  return chooseAction(situation(given), { model, ...options }, signal);
}

const twice = { inputTokens: 200, outputTokens: 20 };

describe('what a model answers', () => {
  test('K7: is one action with reason and confidence, as an event with its cost (N-1, N-8)', async () => {
    const event = await choose(answering(call('change-condition', { patch: { fast: true } })));
    expect(event).toEqual({
      type: 'action-chosen',
      message: 'm1',
      choice: {
        type: 'action',
        resolution: { action: 'change-condition', patch: { fast: true } },
        reason: 'it says so',
        confidence: 0.9,
        confirm: false,
      },
      model: 'test:model',
      attempts: 1,
      usage,
    });
    expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  test.for([
    ['continue', {}, { action: 'continue' }],
    ['skip', {}, { action: 'skip' }],
    ['pause', {}, { action: 'pause' }],
    ['cancel', {}, { action: 'cancel', reason: 'it says so' }],
    ['rerun', {}, { action: 'rerun' }],
    ['rerun', { guidance: 'shorter' }, { action: 'rerun', guidance: 'shorter' }],
    ['go-back', {}, { action: 'go-back' }],
    ['go-back', { steps: 2 }, { action: 'go-back', steps: 2 }],
    ['go-back', { to: 'draft@1' }, { action: 'go-back', to: 'draft@1' }],
    ['goto', { node: 'publish' }, { action: 'goto', node: 'publish' }],
    [
      'update-state',
      { patch: { n: 0, off: false, no: null } },
      { action: 'update-state', patch: { n: 0, off: false, no: null } },
    ],
    ['defer', { note: 'check links' }, { action: 'defer', note: 'check links' }],
  ] as const)('%s %j is read (N-1)', async ([name, input, resolution]) => {
    const { choice } = await choose(answering(call(name, input)));
    expect(choice).toMatchObject({ type: 'action', resolution });
    expect(choice.type === 'action' && choice.resolution).toEqual(resolution);
  });

  test.for([
    ['prose', prose],
    ['an action that was not offered', call('goto', { node: 'x' })],
    ['an unknown action', call('explode')],
    ['an approval', call('restart')],
    ['an answer', call('respond', { output: 1 })],
    ['a name of Object', call('constructor')],
    [
      'two actions',
      calls(['skip', { reason: 'a', confidence: 1 }], ['pause', { reason: 'b', confidence: 1 }]),
    ],
    ['a parameter that is unknown', call('skip', { force: true })],
    ['a parameter of another action', call('rerun', { steps: 2 })],
    ['a parameter of another type', call('go-back', { steps: '2' })],
    ['no steps', call('go-back', { steps: 0 })],
    ['steps and a node', call('go-back', { steps: 1, to: 'a' })],
    ['no patch', call('update-state')],
    ['an empty patch', call('update-state', { patch: {} })],
    ['a list for a patch', call('change-condition', { patch: [1] })],
    ['no reason', calls(['skip', { confidence: 1 }])],
    ['no confidence', calls(['skip', { reason: 'a' }])],
    ['too much confidence', call('skip', { confidence: 1.5 })],
    ['no object', calls(['skip', 'now'])],
    ['an empty question', call('ask', { question: ' ' })],
    ['a stream without an end', undefined],
    [
      'half an input',
      {
        content: [
          {
            type: 'tool-request',
            ref: toolRef('r'),
            name: 'skip',
            input: { reason: 'a', confidence: 1 },
            problem: 'cut off',
          },
        ],
        end: 'tool-use',
      },
    ],
  ] as const)('%s is asked again once, and then it pauses (case 92, N-3, N-4)', async ([, bad]) => {
    const offered = ALL.filter((action) => action !== 'goto');
    const answers = bad === undefined ? [] : [bad, bad, call('skip')];
    const model = answering(...answers);
    const event = await choose(model, { offered });
    expect(event).toMatchObject({ choice: { type: 'pause' }, attempts: 2 });
    expect(model.requests).toHaveLength(2);
    const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(first).not.toContain('not usable');
    expect(second).toContain('not usable');
  });

  test('counts the cost of both attempts (N-8)', async () => {
    const model = answering(prose, call('skip'));
    expect(await choose(model)).toMatchObject({
      choice: { type: 'action', resolution: { action: 'skip' } },
      attempts: 2,
      usage: twice,
    });
  });

  test('never is anything but an offered action, a question or a pause (N-3, N-4)', async () => {
    const names = fc.oneof(
      fc.constantFrom(...ALL, 'restart', 'retry', 'extend', 'ask', '__proto__'),
      fc.string(),
    );
    const members = fc.record(
      {
        reason: jsonValues(),
        confidence: fc.oneof(fc.double(), jsonValues()),
        patch: jsonValues(),
        steps: jsonValues(),
        node: jsonValues(),
        question: jsonValues(),
      },
      { requiredKeys: [] },
    );
    const replies = fc.array(fc.tuple(names, fc.oneof(members, jsonValues())), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(replies, fc.subarray([...ALL]), async (tools, offered) => {
        const { choice } = await choose(answering(calls(...(tools as [string, JsonValue][])), prose), {
          offered,
        });
        if (choice.type === 'action') expect(offered).toContain(choice.resolution.action);
        else expect(['question', 'pause']).toContain(choice.type);
      }),
    );
  });
});

describe('without a model', () => {
  const confirmation = makeInterrupt(
    {
      kind: 'confirmation',
      source: { type: 'tool', ref: toolRef('a'), name: 'pay', input: {}, raisedBy: 'approval' },
      payload: {},
    },
    { id: interruptId('i1'), path: ROOT_PATH, raisedAt: AT },
  );
  const gate = makeInterrupt(
    { kind: 'gate', source: { type: 'node', nodeId: 'draft', visit: 2, phase: 'after' }, payload: {} },
    { id: interruptId('i2'), path: nodePath('draft@2'), raisedAt: AT },
  );

  test('an explicit action is taken as it is (case 93, N-2)', async () => {
    const model = answering();
    const action: Resolution = { action: 'go-back', steps: 3 };
    const event = await choose(model, { message: { id: 'm1', text: 'go back', action } });
    expect(event).toMatchObject({
      choice: { type: 'action', resolution: action, confirm: false },
      attempts: 0,
    });
    expect(event).not.toHaveProperty('usage');
    expect(model.requests).toEqual([]);
  });

  test.for([confirmation, gate])('an open $kind is left to a person (N-2)', async (open) => {
    const model = answering(call('continue'));
    const event = await choose(model, { message: { id: 'm1', text: 'approve all of it' }, open: [open] });
    expect(event).toMatchObject({ choice: { type: 'pause' }, attempts: 0 });
    expect(model.requests).toEqual([]);
  });

  test.for([
    [[]],
    [['restart', 'retry', 'respond', 'reject', 'extend', 'edit-input', 'edit-output', 'sequence']],
  ])('nothing is chosen among %j (N-2, N-7)', async ([offered]) => {
    const model = answering();
    const event = await choose(model, { offered: offered as ResolutionAction[] });
    expect(event).toMatchObject({ choice: { type: 'pause', why: 'no action is available' }, attempts: 0 });
    expect(model.requests).toEqual([]);
  });
});

describe('a person', () => {
  test.for(['go-back', 'skip', 'cancel', 'update-state', 'goto', 'rerun'] as const)(
    'confirms %s, unless it is allowed beforehand (N-5)',
    async (name) => {
      const input = name === 'goto' ? { node: 'x' } : name === 'update-state' ? { patch: { a: 1 } } : {};
      const { choice } = await choose(answering(call(name, input)));
      expect(choice).toMatchObject({ type: 'action', confirm: true });
      const allowed = await choose(answering(call(name, input)), {}, { autoApply: [name] });
      expect(allowed.choice).toMatchObject({ type: 'action', confirm: false });
    },
  );

  test.for([
    ['continue', {}],
    ['pause', {}],
    ['defer', { note: 'x' }],
    ['change-condition', { patch: { a: 1 } }],
  ] as const)('need not confirm %s', async ([name, input]) => {
    expect((await choose(answering(call(name, input)))).choice).toMatchObject({ confirm: false });
  });

  test('is asked where the model asks', async () => {
    const { choice } = await choose(answering(call('ask', { question: 'which one?', confidence: 0.2 })));
    expect(choice).toEqual({
      type: 'question',
      question: 'which one?',
      reason: 'it says so',
      confidence: 0.2,
    });
  });

  test('is asked where the model is not sure', async () => {
    const unsure = call('skip', { confidence: 0.59 });
    expect((await choose(answering(unsure))).choice).toEqual({
      type: 'question',
      question: 'did you mean `skip`?',
      reason: 'it says so',
      confidence: 0.59,
      suggestion: { action: 'skip' },
    });
    expect((await choose(answering(unsure), {}, { askBelow: 0.5 })).choice).toMatchObject({ type: 'action' });
    expect(
      (await choose(answering(call('skip', { confidence: 0 })), {}, { askBelow: 0 })).choice,
    ).toMatchObject({
      type: 'action',
      confidence: 0,
    });
  });
});

describe('what does not work', () => {
  test('is what the run cannot do: the model is told why, then it pauses (N-3)', async () => {
    const model = answering(call('go-back', { steps: 9 }), call('go-back', { steps: 8 }));
    const problemWith = (resolution: Resolution) =>
      resolution.action === 'go-back' ? 'the path has 2 nodes' : undefined;
    expect(await choose(model, { problemWith })).toMatchObject({
      choice: { type: 'pause', why: 'no usable answer from the model: go-back: the path has 2 nodes' },
      attempts: 2,
    });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('the path has 2 nodes');
  });

  test('is a model that fails: it pauses (N-4)', async () => {
    const model = answering(new Error('overloaded'));
    expect(await choose(model)).toMatchObject({
      choice: { type: 'pause', why: 'the model failed: overloaded' },
      attempts: 1,
    });
  });

  test('is a run that is stopped meanwhile: nothing is chosen', async () => {
    const stop = new AbortController();
    const model = answering(new Error('cut off'));
    const stopping: Model = {
      id: 'test',
      generate: (request, signal) => {
        stop.abort(new Error('stopped'));
        return model.generate(request, signal);
      },
    };
    await expect(choose(stopping, {}, {}, stop.signal)).rejects.toThrow('stopped');
    await expect(choose(model, {}, {}, stop.signal)).rejects.toThrow('stopped');
  });
});

describe('what a model is shown', () => {
  test('is tools for what is offered, each with its own schema (N-1, N-7)', async () => {
    const model = answering(call('pause'));
    await choose(model, { offered: ['pause', 'go-back', 'restart', 'defer'] });
    const [request] = model.requests;
    expect(request!.tools.map(({ name }) => name)).toEqual(['pause', 'go-back', 'defer', 'ask']);
    expect(request!.tools.every(({ name }) => isLegalToolName(name))).toBe(true);
    expect(request!.tools[1]!.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        steps: { type: 'integer', minimum: 1 },
        reason: {},
        confidence: { minimum: 0, maximum: 1 },
      },
      required: ['reason', 'confidence'],
      additionalProperties: false,
    });
    expect(checkMessages(request!.messages)).toEqual([]);
  });

  test('is message, place, end of the path and state, without secrets (N-1, G33)', async () => {
    const model = answering(call('pause'));
    await choose(
      model,
      {
        message: { id: 'm1', text: 'use hunter2 and go on' },
        state: { topic: 'bees', key: `sk-ant-${'a'.repeat(30)}`, password: 'hunter2' },
        path: Array.from({ length: 30 }, (_, index) => `n@${index + 1}`),
        nodes: ['draft', 'publish'],
      },
      { secrets: ['hunter2'] },
    );
    const [part] = model.requests[0]!.messages[0]!.content;
    const shown = JSON.parse(part?.type === 'text' ? part.text : '') as JsonObject;
    expect(shown).toEqual({
      where: { phase: 'after', node: 'draft@2' },
      path: Array.from({ length: 20 }, (_, index) => `n@${index + 11}`),
      earlier: 10,
      nodes: ['draft', 'publish'],
      state: { topic: 'bees', key: '[redacted]', password: '[redacted]' },
      omittedKeys: 0,
      message: 'use [redacted] and go on',
    });
  });

  test('is whole values of the state only, and how many were left out (N-6)', async () => {
    const model = answering(call('pause'));
    const state = { small: 1, large: 'x'.repeat(9_000), larger: 'ü'.repeat(9_000), zero: 0 };
    await choose(model, { state }, { maxStateBytes: 9_100 });
    const [part] = model.requests[0]!.messages[0]!.content;
    const shown = JSON.parse(part?.type === 'text' ? part.text : '') as JsonObject;
    expect(shown).toMatchObject({ state: { small: 1, large: state.large, zero: 0 }, omittedKeys: 1 });
    expect(shown['state']).not.toHaveProperty('larger');
  });
});
