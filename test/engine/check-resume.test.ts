import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Answer, JsonValue, Resolution, RunState, Tool } from '../../src/core/index.js';
import { interruptId } from '../../src/core/index.js';
import { checkResume } from '../../src/engine/index.js';
import { defineInterrupt, defineTool, toolSet } from '../../src/tools/index.js';
import {
  interruptOf,
  limitReached,
  modelSaid,
  raised,
  requestPart,
  resolved,
  stateAfter,
  userSaid,
} from '../helpers/events.js';
import { answerTo, tool } from './drive.js';

const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), output: z.string() },
  () => 'paid',
);
const ask = defineInterrupt({ name: 'ask', description: 'Asks.', output: z.object({ answer: z.string() }) });
const toPay = interruptOf('pay', 'r1', { input: { amount: 1 } });
const toAsk = interruptOf('ask', 'r2', { id: 'i2', kind: 'question' });
const waiting = stateAfter(
  userSaid('hi'),
  modelSaid([requestPart('pay', 'r1', { amount: 1 }), requestPart('ask', 'r2')]),
  raised(toPay),
  raised(toAsk),
);

async function problems(
  answers: readonly Answer[],
  {
    state = waiting,
    tools = [pay, ask],
    complete = false,
  }: { state?: RunState; tools?: Tool[]; complete?: boolean } = {},
): Promise<readonly string[]> {
  const found = await checkResume(state, answers, toolSet(tools), { complete });
  return found.map(({ kind, interrupt, message }) => `${kind} ${interrupt}: ${message}`);
}

describe('answers that fit', () => {
  test.for<Resolution>([
    { action: 'restart' },
    { action: 'restart', input: { amount: 5 } },
    { action: 'respond', output: 'by hand' },
    { action: 'reject' },
    { action: 'cancel', reason: 'no' },
  ])('to a confirmation: %j', async (resolution) => {
    expect(await problems([answerTo(toPay, resolution)])).toEqual([]);
  });

  test('to everything that is open', async () => {
    const answers = [
      answerTo(toPay, { action: 'restart' }),
      answerTo(toAsk, { action: 'respond', output: { answer: 'y' } }),
    ];
    expect(await problems(answers, { complete: true })).toEqual([]);
    expect(await checkResume(waiting, answers, toolSet([pay, ask]))).toEqual([]);
  });

  test('to a limit need no tool', async () => {
    const gate = limitReached('turns');
    const state = stateAfter(userSaid('hi'), raised(gate));
    expect(await problems([answerTo(gate, { action: 'extend', by: 5 })], { state })).toEqual([]);
  });

  test('may give the output of a tool that is not there, but not run it', async () => {
    const gone = { tools: [ask] };
    expect(await problems([answerTo(toPay, { action: 'respond', output: 1 })], gone)).toEqual([]);
    expect(await problems([answerTo(toPay, { action: 'restart' })], gone)).toEqual([
      'tool-missing i1: `pay#r1` (i1) cannot run: its tool is missing',
    ]);
  });
});

describe('answers that do not fit', () => {
  test.for<[string, Answer[], string[]]>([
    [
      'to nothing that is open',
      [{ ...answerTo(toPay, { action: 'restart' }), id: interruptId('i9') }],
      ['unknown i9: no interrupt `i9`; open: `pay#r1` (i1), `ask#r2` (i2)'],
    ],
    [
      'twice to one',
      [answerTo(toPay, { action: 'restart' }), answerTo(toPay, { action: 'cancel' })],
      ['duplicate i1: `pay#r1` (i1) has two answers; pass only one'],
    ],
    [
      'to another input than it has now (G11)',
      [{ ...answerTo(toPay, { action: 'restart' }), digest: 'other' }],
      ['changed i1: `pay#r1` (i1) has changed since it was shown'],
    ],
    [
      'with an action of another kind',
      [answerTo(toAsk, { action: 'restart' })],
      ['not-allowed i2: `restart` does not answer `ask#r2` (i2); it takes: respond, cancel'],
    ],
    [
      'with an input that breaks the schema',
      [answerTo(toPay, { action: 'restart', input: { amount: '5' } })],
      ['bad-input i1: invalid new input for `pay#r1` (i1): amount: expected number, received string'],
    ],
    [
      'with an output that breaks the schema',
      [answerTo(toAsk, { action: 'respond', output: 7 })],
      ['bad-output i2: invalid answer to `ask#r2` (i2): expected object, received number'],
    ],
  ])('%s', async ([, answers, found]) => {
    expect(await problems(answers)).toEqual(found);
  });

  test('are all told together, with what is missing', async () => {
    const answers = [
      answerTo(toPay, { action: 'respond', output: 7 }),
      { ...answerTo(toPay, { action: 'restart' }), id: interruptId('i9') },
    ];
    expect(await problems(answers, { complete: true })).toEqual([
      'bad-output i1: invalid answer to `pay#r1` (i1): expected string, received number',
      'unknown i9: no interrupt `i9`; open: `pay#r1` (i1), `ask#r2` (i2)',
      'missing i2: `ask#r2` (i2) is not answered',
    ]);
  });

  test('are told when nothing is open at all', async () => {
    const state = stateAfter(userSaid('hi'));
    expect(await problems([answerTo(toPay, { action: 'restart' })], { state })).toEqual([
      'unknown i1: no interrupt `i1`; nothing is open',
    ]);
  });

  test.for([
    [{ type: 'person', name: 'bob', via: 'answer' }, 'bob'],
    [{ type: 'rule', rule: 'allow pay' }, 'rule `allow pay`'],
  ] as const)('are stale after an answer by %j (G16)', async ([by, who]) => {
    const event = resolved(toPay, { action: 'reject' });
    const state = stateAfter(
      userSaid('hi'),
      modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
      raised(toPay),
      { ...event, by } as typeof event,
    );
    expect(await problems([answerTo(toPay, { action: 'restart' })], { state })).toEqual([
      `stale i1: \`pay#r1\` (i1) was already answered: reject, by ${who}`,
    ]);
  });

  test('to the run itself are described by their kind', async () => {
    const gate = limitReached('turns');
    const state = stateAfter(userSaid('hi'), raised(gate));
    expect(await problems([], { state, complete: true })).toEqual(['missing i1: limit `i1` is not answered']);
  });
});

describe('a restart or a retry', () => {
  const doubt = interruptOf('pay', 'r1', { kind: 'in-doubt', raisedBy: 'engine', input: { amount: 1 } });
  const inDoubt = stateAfter(
    userSaid('hi'),
    modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
    raised(doubt),
  );

  test('of a tool that only asks is refused, whatever the interrupt allows', async () => {
    const odd = interruptOf('ask', 'r1', { kind: 'confirmation' });
    const state = stateAfter(userSaid('hi'), modelSaid([requestPart('ask', 'r1')]), raised(odd));
    expect(await problems([answerTo(odd, { action: 'restart' })], { state })).toEqual([
      'not-allowed i1: `ask#r1` (i1) only asks and cannot be restarted; respond to it',
    ]);
  });

  test('needs its tool; giving up does not', async () => {
    const gone = { state: inDoubt, tools: [] };
    expect(await problems([answerTo(doubt, { action: 'retry' })], gone)).toEqual([
      'tool-missing i1: `pay#r1` (i1) cannot run: its tool is missing',
    ]);
    expect(await problems([answerTo(doubt, { action: 'cancel' })], gone)).toEqual([]);
    expect(await problems([answerTo(doubt, { action: 'retry' })], { state: inDoubt })).toEqual([]);
  });

  test('with an input whose check breaks is a problem, not a crash', async () => {
    const broken: Tool = {
      ...tool('pay', () => 1),
      parseInput: () => {
        throw new Error('the check broke');
      },
      parseOutput: () => {
        throw new Error('the check broke');
      },
    };
    expect(await problems([answerTo(toPay, { action: 'restart', input: 1 })], { tools: [broken] })).toEqual([
      'bad-input i1: invalid new input for `pay#r1` (i1): the check broke',
    ]);
    expect(await problems([answerTo(toPay, { action: 'respond', output: 1 })], { tools: [broken] })).toEqual([
      'bad-output i1: invalid answer to `pay#r1` (i1): the check broke',
    ]);
  });
});

describe('what a restart passes on', () => {
  const picky = defineTool(
    { name: 'send', description: 'Sends.', resume: z.object({ ok: z.boolean() }) },
    (_input, context) => (context.resumed === undefined ? context.interrupt({ sure: true }) : 'sent'),
  );
  const easy = defineTool(
    { name: 'send', description: 'Sends.', resume: z.object({ note: z.string().optional() }) },
    () => 'sent',
  );
  const toSend = interruptOf('send', 'r1', { raisedBy: 'tool' });
  const waits = (interrupt = toSend) =>
    stateAfter(userSaid('hi'), modelSaid([requestPart('send', 'r1')]), raised(interrupt));
  const MISFIT = 'bad-metadata i1: invalid `metadata` for `send#r1` (i1): ';

  test.for<[JsonValue | undefined, string[]]>([
    [{ ok: true }, []],
    [{ ok: 'yes' }, [`${MISFIT}ok: expected boolean, received string`]],
    [null, [`${MISFIT}expected object, received null`]],
    [undefined, [`${MISFIT}expected object, received boolean; ok: expected boolean, received undefined`]],
  ])('is %j: checked before the question is spent', async ([metadata, found]) => {
    const restarted = { action: 'restart', ...(metadata !== undefined && { metadata }) } as const;
    expect(await problems([answerTo(toSend, restarted)], { state: waits(), tools: [picky] })).toEqual(found);
  });

  test('is nothing: an object schema reads that as the empty object, as the body does', async () => {
    const plain = [answerTo(toSend, { action: 'restart' })];
    expect(await problems(plain, { state: waits(), tools: [easy] })).toEqual([]);
  });

  test('does not matter where the body has not asked: it is given nothing', async () => {
    const gate = interruptOf('send', 'r1', { raisedBy: 'approval' });
    const plain = [answerTo(gate, { action: 'restart' })];
    expect(await problems(plain, { state: waits(gate), tools: [picky] })).toEqual([]);
  });
});
