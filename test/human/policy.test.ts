import { describe, expect, test } from 'vitest';

import type { HumanChannel, RunState } from '../../src/core/index.js';
import { readRule, sessionScope, toolDigest } from '../../src/core/index.js';
import { createPolicyChannel, createUnattended, firstOf } from '../../src/human/index.js';
import { callInterrupt, interruptOf, question, stateWith, TRANSFER } from './open-interrupt.js';

const never = new AbortController().signal;
const STATE = stateWith(TRANSFER);
const CALL = callInterrupt({ to: 'A', amount: 1 });

const RULED: RunState = {
  ...STATE,
  rules: [{ effect: 'allow', tool: 'transfer', toolDigest: toolDigest(TRANSFER) }],
};

async function verdict(channel: HumanChannel, open = CALL, state = STATE): Promise<unknown> {
  const result = await channel.ask([open], state, never);
  return result.type === 'answered' ? [result.answer.resolution, result.answer.by] : result.type;
}

describe('rules', () => {
  test.for([
    ['--yes', { yes: ['transfer'] }, '--yes transfer'],
    ['allow', { rules: [readRule('allow', 'transfer', 'f')] }, 'allow transfer'],
    ['approve all', { approveAll: true }, '--dangerously-approve-all'],
  ] as const)('%s approves a confirmation', async ([, options, rule]) => {
    const channel = createPolicyChannel(options);
    const approved = [{ action: 'restart' }, { type: 'rule', rule }];
    expect(await verdict(channel)).toEqual(approved);
    expect(await verdict(channel, callInterrupt({}, { raisedBy: 'tool' }))).toEqual(approved);
  });

  test('leave open what they do not name', async () => {
    expect(await verdict(createPolicyChannel({ yes: ['transfe', 'transfer2'] }))).toBe('left-open');
    expect(await verdict(createPolicyChannel({}))).toBe('left-open');
  });

  test.for([
    ['a question', question('Sure?', { type: 'boolean' })],
    ['a doubt', callInterrupt({}, { kind: 'in-doubt', raisedBy: 'engine' })],
    ['an error', callInterrupt({}, { kind: 'error', raisedBy: 'tool' })],
    ['a limit', interruptOf({ kind: 'limit', source: { type: 'run' }, payload: {} })],
    [
      'a gate',
      interruptOf({
        kind: 'gate',
        source: { type: 'node', nodeId: 'transfer', visit: 1, phase: 'before' },
        payload: {},
      }),
    ],
    ['a confirmation that cannot be restarted', { ...CALL, allowed: ['respond'] as const }],
  ] as const)('never answer %s', async ([, open]) => {
    const channel = createPolicyChannel({
      yes: ['transfer', 'ask_user'],
      approveAll: true,
      rules: [readRule('deny', 'other', 'f')],
    });
    expect(await verdict(channel, open, RULED)).toBe('left-open');
  });

  test('a denied tool is rejected, whatever else allows it', async () => {
    const channel = createPolicyChannel({
      rules: [readRule('allow', 'transfer', 'f'), readRule('deny', 'transfer', 'f')],
      yes: ['transfer'],
      approveAll: true,
    });
    expect(await verdict(channel, CALL, RULED)).toEqual([
      { action: 'reject', reason: 'the rule `deny transfer` denies it' },
      { type: 'rule', rule: 'deny transfer' },
    ]);
  });

  test('only deny where that is all they are for', async () => {
    const rules = [readRule('deny', 'pay', 'f'), readRule('allow', 'transfer', 'f')];
    const channel = createPolicyChannel({ rules, yes: ['transfer'], denyOnly: true });
    expect(await verdict(channel, CALL, RULED)).toBe('left-open');
    expect(await verdict(channel, callInterrupt({}, { name: 'pay' }))).toMatchObject([
      { action: 'reject' },
      {},
    ]);
  });

  test('that ask leave open what was approved for the session, and not what this run approves', async () => {
    const rules = [readRule('ask', 'transfer', 'f'), readRule('allow', 'transfer', 'g')];
    expect(await verdict(createPolicyChannel({ rules }), CALL, RULED)).toBe('left-open');
    const approved = [{ action: 'restart' }, { type: 'rule', rule: '--yes transfer' }];
    expect(await verdict(createPolicyChannel({ rules, yes: ['transfer'] }), CALL, RULED)).toEqual(approved);
  });

  test('G35 that cannot be read ask whatever else approves', async () => {
    const rules = [readRule('deny', 'transfer everything', 'f')];
    const channel = createPolicyChannel({ rules, yes: ['transfer'], approveAll: true });
    expect(await verdict(channel, CALL, RULED)).toBe('left-open');
  });

  test('leave open what is denied and cannot be rejected', async () => {
    const open = { ...CALL, allowed: ['restart'] as const };
    expect(
      await verdict(
        createPolicyChannel({ rules: [readRule('deny', 'transfer', 'f')], yes: ['transfer'] }),
        open,
      ),
    ).toBe('left-open');
  });

  test('a rule of the session approves the tool as it was, and no other (T8)', async () => {
    const channel = createPolicyChannel({});
    expect(await verdict(channel, CALL, RULED)).toEqual([
      { action: 'restart' },
      { type: 'rule', rule: 'always transfer' },
    ]);
    const changed = { ...stateWith({ ...TRANSFER, description: 'Moves all money.' }), rules: RULED.rules };
    expect(await verdict(channel, CALL, changed)).toBe('left-open');
    expect(await verdict(channel, CALL, { ...stateWith(), rules: RULED.rules })).toBe('left-open');
  });

  test('a rule of the session about one call approves no other (T20)', async () => {
    const scope = sessionScope('call', { name: 'transfer', input: { to: 'A', amount: 1 }, payload: true });
    const rules = [{ ...RULED.rules[0]!, scope: scope! }];
    const channel = createPolicyChannel({});
    expect(await verdict(channel, CALL, { ...RULED, rules })).toEqual([
      { action: 'restart' },
      { type: 'rule', rule: 'always transfer, exactly this call: {"to":"A","amount":1}' },
    ]);
    expect(await verdict(channel, callInterrupt({ to: 'A', amount: 2 }), { ...RULED, rules })).toBe(
      'left-open',
    );
  });

  test('answer the one they fit among several', async () => {
    const other = callInterrupt({}, { id: 'i2', name: 'pay' });
    const result = await createPolicyChannel({ yes: ['pay'] }).ask([CALL, other], STATE, never);
    expect(result).toMatchObject({ type: 'answered', answer: { id: 'i2', digest: other.digest } });
  });
});

describe('the first of several channels', () => {
  test('answers, and the next are not asked', async () => {
    const person: HumanChannel = { ask: () => Promise.reject(new Error('asked')) };
    expect(await verdict(firstOf(createPolicyChannel({ yes: ['transfer'] }), person))).toHaveLength(2);
  });

  test('leaves open what none answers, and says why', async () => {
    const channel = firstOf(createPolicyChannel({}), createUnattended('nobody is here'));
    expect(await channel.ask([CALL], STATE, never)).toEqual({ type: 'left-open', why: 'nobody is here' });
  });

  test('is interactive where one of them is', () => {
    const person: HumanChannel = { interactive: true, ask: createUnattended().ask };
    expect(firstOf(createPolicyChannel({}), person).interactive).toBe(true);
    expect(firstOf(createPolicyChannel({})).interactive).toBe(false);
  });

  test('asks nobody after the question was withdrawn', async () => {
    const asked = firstOf(createUnattended()).ask([CALL], STATE, AbortSignal.abort(new Error('withdrawn')));
    await expect(asked).rejects.toThrow('withdrawn');
  });
});
