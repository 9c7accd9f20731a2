import { describe, expect, test } from 'vitest';

import type { HumanChannel, RunState, ToolRule } from '../../src/core/index.js';
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

/** As a flag makes it. */
const flag = (tool: string, text: string): ToolRule => ({
  effect: 'allow',
  tool,
  text,
  from: 'the command line',
});
const yes = (...tools: readonly string[]) => ({ rules: tools.map((tool) => flag(tool, `--yes ${tool}`)) });
const OF_SESSION = 'a question in this session';
const ALL = flag('*', '--dangerously-approve-all');

async function verdict(channel: HumanChannel, open = CALL, state = STATE): Promise<unknown> {
  const result = await channel.ask([open], state, never);
  return result.type === 'answered' ? [result.answer.resolution, result.answer.by] : result.type;
}

describe('rules', () => {
  test.for([
    ['--yes transfer', 'the command line', 'allows every call of `transfer`', yes('transfer')],
    [
      'allow transfer',
      'f',
      'allows every call of `transfer`',
      { rules: [readRule('allow', 'transfer', 'f')] },
    ],
    [ALL.text, 'the command line', 'allows every call of every tool', { rules: [ALL] }],
  ] as const)('%s approves a confirmation, and says where it stands', async ([rule, from, says, options]) => {
    const channel = createPolicyChannel(options);
    const approved = [{ action: 'restart' }, { type: 'rule', rule, from, says }];
    expect(await verdict(channel)).toEqual(approved);
    expect(await verdict(channel, callInterrupt({}, { raisedBy: 'tool' }))).toEqual(approved);
  });

  test('leave open what they do not name', async () => {
    expect(await verdict(createPolicyChannel(yes('transfe', 'transfer2')))).toBe('left-open');
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
      rules: [...yes('transfer', 'ask_user').rules, ALL, readRule('deny', 'other', 'f')],
    });
    expect(await verdict(channel, open, RULED)).toBe('left-open');
  });

  test('a denied tool is rejected, whatever else allows it', async () => {
    const channel = createPolicyChannel({
      rules: [
        ...[readRule('allow', 'transfer', 'f'), readRule('deny', 'transfer', 'f')],
        ...[...yes('transfer').rules, ALL],
      ],
    });
    expect(await verdict(channel, CALL, RULED)).toEqual([
      { action: 'reject', reason: 'the rule `deny transfer` denies it' },
      { type: 'rule', rule: 'deny transfer', from: 'f', says: 'denies every call of `transfer`' },
    ]);
  });

  test('only deny where that is all they are for', async () => {
    const rules = [readRule('deny', 'pay', 'f'), readRule('allow', 'transfer', 'f'), ALL];
    const channel = createPolicyChannel({ rules, denyOnly: true });
    expect(await verdict(channel, CALL, RULED)).toBe('left-open');
    expect(await verdict(channel, callInterrupt({}, { name: 'pay' }))).toMatchObject([
      { action: 'reject' },
      {},
    ]);
  });

  test('that ask leave open what was approved for the session, for the run, and by the configuration', async () => {
    const rules = [readRule('ask', 'transfer', 'f'), readRule('allow', 'transfer', 'g')];
    expect(await verdict(createPolicyChannel({ rules }), CALL, RULED)).toBe('left-open');
    const all = [...rules, ...yes('transfer').rules, ALL];
    expect(await verdict(createPolicyChannel({ rules: all }), CALL, RULED)).toBe('left-open');
  });

  test('G35 that cannot be read ask whatever else approves', async () => {
    const rules = [readRule('deny', 'transfer everything', 'f')];
    const channel = createPolicyChannel({ rules: [...rules, ...yes('transfer').rules, ALL] });
    expect(await verdict(channel, CALL, RULED)).toBe('left-open');
  });

  test('leave open what is denied and cannot be rejected', async () => {
    const open = { ...CALL, allowed: ['restart'] as const };
    expect(
      await verdict(
        createPolicyChannel({ rules: [readRule('deny', 'transfer', 'f'), ...yes('transfer').rules] }),
        open,
      ),
    ).toBe('left-open');
  });

  test('approve no question that a person was asked before, and still deny it', async () => {
    const channel = createPolicyChannel({
      rules: yes('transfer').rules,
      wasAsked: ({ id }) => id === 'i1',
    });
    expect(await verdict(channel)).toBe('left-open');
    const other = callInterrupt({ to: 'A', amount: 1 }, { id: 'i2' });
    expect(await verdict(channel, other)).toMatchObject([{ action: 'restart' }, { type: 'rule' }]);
    const denying = createPolicyChannel({
      rules: [readRule('deny', 'transfer', 'f')],
      wasAsked: () => true,
    });
    expect(await verdict(denying)).toMatchObject([{ action: 'reject' }, { type: 'rule' }]);
  });

  test('a rule of the session approves the tool as it was, and no other (T8)', async () => {
    const channel = createPolicyChannel({});
    expect(await verdict(channel, CALL, RULED)).toEqual([
      { action: 'restart' },
      { type: 'rule', rule: 'always transfer', from: OF_SESSION, says: 'allows every call of `transfer`' },
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
      {
        type: 'rule',
        rule: 'always transfer, exactly this call: {"to":"A","amount":1}',
        from: OF_SESSION,
        says: 'allows exactly this call: {"to":"A","amount":1}',
      },
    ]);
    expect(await verdict(channel, callInterrupt({ to: 'A', amount: 2 }), { ...RULED, rules })).toBe(
      'left-open',
    );
  });

  test('answer the one they fit among several', async () => {
    const other = callInterrupt({}, { id: 'i2', name: 'pay' });
    const result = await createPolicyChannel(yes('pay')).ask([CALL, other], STATE, never);
    expect(result).toMatchObject({ type: 'answered', answer: { id: 'i2', digest: other.digest } });
  });
});

describe('the first of several channels', () => {
  test('answers, and the next are not asked', async () => {
    const person: HumanChannel = { ask: () => Promise.reject(new Error('asked')) };
    expect(await verdict(firstOf(createPolicyChannel(yes('transfer')), person))).toHaveLength(2);
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
