import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type {
  Actor,
  ApprovalPolicy,
  Interrupt,
  Resolution,
  RunState,
  SessionEvent,
} from '../../src/core/index.js';
import {
  answerEvents,
  answerProblem,
  approversOf,
  approversProblem,
  bothApprovers,
  evolve,
  fold,
  isForNobody,
  NOBODY,
  openInterrupts,
  peopleWords,
  plainAnswer,
  policyWords,
  splitPeople,
} from '../../src/core/index.js';
import { AT, interruptOf, modelSaid, raised, requestPart, userSaid } from '../helpers/events.js';

const YES: Resolution = { action: 'restart' };
const NO: Resolution = { action: 'reject' };

function person(name: string, more: Partial<Actor & { type: 'person' }> = {}): Actor {
  return { type: 'person', name, via: 'answer', ...more };
}
const [ANN, BOB, CYD] = [person('ann'), person('bob'), person('cyd')];
const SCRIPT: Actor = { type: 'script', name: 'deploy', via: 'flag' };
const RULE: Actor = { type: 'rule', rule: 'allow pay' };

function question(approvers: ApprovalPolicy): Interrupt {
  return interruptOf('pay', 'r1', { input: { amount: 1 }, raisedBy: 'approval', draft: { approvers } });
}

/** Ann asked for a payment, and the call waits for those whom the policy names. */
function asking(approvers: ApprovalPolicy, by: Actor = ANN): RunState {
  const said = { ...userSaid('pay them'), by } as SessionEvent;
  return fold([said, modelSaid([requestPart('pay', 'r1', { amount: 1 })]), raised(question(approvers))]);
}

/** The state after somebody answered as a door would, and the types of what it kept. */
function answered(
  state: RunState,
  by: Actor,
  resolution: Resolution = YES,
): { readonly state: RunState; readonly kept: readonly string[] } {
  const [open] = openInterrupts(state);
  if (open === undefined) throw new Error('nothing is open');
  const answer = { id: open.id, digest: open.digest, resolution, by };
  const problem = answerProblem(state, answer);
  if (problem !== undefined) throw new Error(problem.message);
  const events = answerEvents(plainAnswer(answer, { interrupt: open }), state, { at: AT });
  return { state: fold(events, state), kept: events.map(({ type }) => type) };
}

/** A decision as a door that forgets everything would keep it. */
function forged(state: RunState, by: Actor, resolution: Resolution = YES): () => RunState {
  const [open] = openInterrupts(state);
  if (open === undefined) throw new Error('nothing is open');
  const { id, digest } = open;
  return () => evolve(state, { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt: AT });
}

describe('a question that needs two people', () => {
  const state = asking({ need: 2 });

  test('is decided by the second one who says the same, with both votes in the decision', () => {
    const first = answered(state, ANN);
    expect(first.kept).toEqual(['vote-cast']);
    expect(openInterrupts(first.state)).toHaveLength(1);
    const second = answered(first.state, BOB);
    expect(second.kept).toEqual(['vote-cast', 'interrupt-resolved']);
    expect(openInterrupts(second.state)).toEqual([]);
    expect(second.state.resolved.at(-1)?.votes?.map(({ by }) => by)).toEqual([ANN, BOB]);
    expect(second.state.votes).toBeUndefined();
  });

  test('counts each person once, by whichever door they come', () => {
    const again = person('Ann B.', { via: 'web', id: { issuer: 'https://id', subject: 'ann' } });
    expect(answered(answered(state, ANN).state, again).kept).toEqual(['vote-cast']);
  });

  test('counts an edited input as another answer, and the latest word of each person', () => {
    const edit: Resolution = { action: 'restart', input: { amount: 2 } };
    const split = answered(answered(state, ANN).state, BOB, edit);
    expect(split.kept).toEqual(['vote-cast']);
    expect(answered(split.state, ANN, edit).kept).toEqual(['vote-cast', 'interrupt-resolved']);
  });

  test('is refused by one person alone', () => {
    expect(answered(answered(state, ANN).state, BOB, NO).kept).toEqual(['interrupt-resolved']);
  });

  test.for([
    ['one person’s decision', state, ANN],
    ['a decision behind one vote', answered(state, ANN).state, BOB],
    ['a script', answered(state, ANN).state, SCRIPT],
    ['a rule', answered(state, ANN).state, RULE],
  ] as const)('cannot be approved by a journal with %s', ([, before, by]) => {
    expect(forged(before, by)).toThrow(/ILLEGAL_EVENT|does not fit/u);
  });

  test('cannot be approved by votes that nobody cast, nor by one that was cast twice', () => {
    const [{ id, digest }] = openInterrupts(state) as [Interrupt];
    const vote = (by: Actor): SessionEvent => ({
      type: 'vote-cast',
      id,
      digest,
      resolution: YES,
      by,
      castAt: AT,
    });
    const votes = [ANN, BOB].map((by) => ({ by, resolution: YES, castAt: AT }));
    const decided: SessionEvent = {
      type: 'interrupt-resolved',
      id,
      digest,
      resolution: YES,
      by: BOB,
      resolvedAt: AT,
      votes,
    };
    expect(() => evolve(state, decided)).toThrow('2 people must say the same, and 0 have');
    expect(() => fold([vote(ANN), vote(ANN), decided], state)).toThrow('and 1 have');
    expect(fold([vote(ANN), vote(BOB), decided], state).resolved.length).toBe(1);
  });
});

describe('a question that names people', () => {
  const inOps = person('eve', { groups: ['ops'] });
  const signedIn = person('Cy', { via: 'web', id: { issuer: 'https://id', subject: 'cyd' } });

  test.for([
    [['bob'], BOB, true],
    [['bob'], ANN, true], // of ann it takes a no only, and she asked for it
    [['bob'], CYD, false],
    [['@ops'], inOps, true],
    [['@ops'], BOB, false],
    [['https://id/cyd'], signedIn, true],
    [['https://id/cyd'], CYD, false],
    [['cyd'], signedIn, true],
  ] as const)('of %j takes a no of %j: %j', ([from, by, isTaken]) => {
    const state = asking({ from });
    const [{ id, digest }] = openInterrupts(state) as [Interrupt];
    const problem = answerProblem(state, { id, digest, resolution: NO, by });
    expect(problem?.kind).toBe(isTaken ? undefined : 'not-eligible');
  });

  test('is not approved by others, whatever kept their answer', () => {
    const state = asking({ from: ['bob'] });
    expect(() => answered(state, CYD)).toThrow('`pay#r1` (i1): cyd is not asked: it is for bob');
    expect(forged(state, CYD)).toThrow('cyd is not asked: it is for bob');
    expect(answered(state, BOB).kept).toEqual(['interrupt-resolved']);
  });
});

describe('four eyes', () => {
  test('keep whoever asked from agreeing, by any door, and from nothing else', () => {
    const state = asking({ notRequester: true });
    expect(() => answered(state, ANN)).toThrow('ann asked for it, and somebody else is to decide');
    expect(forged(state, person('A', { id: { issuer: 'x', subject: 'ann' } }))).toThrow('asked for it');
    expect(answered(state, ANN, NO).kept).toEqual(['interrupt-resolved']);
    expect(answered(state, BOB).kept).toEqual(['interrupt-resolved']);
  });

  test('let nobody agree where nobody knows who asked', () => {
    const state = asking({ notRequester: true }, SCRIPT);
    expect(() => answered(state, BOB)).toThrow('nobody knows who asked for it');
  });
});

describe('the people of a question', () => {
  test('are in its digest', () => {
    const digests = [{}, { need: 2 }, { need: 3 }, { from: ['ann'] }, { notRequester: true }].map(
      (approvers) => question(approvers).digest,
    );
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('are those whom both name, where two say so', () => {
    expect(bothApprovers({ need: 2, from: ['ann', 'bob'] }, { from: ['bob', '@ops'] })).toEqual({
      ...NOBODY,
    });
    expect(
      bothApprovers({ from: ['ann', 'bob', '@ops'] }, { need: 2, from: ['bob', '@ops', 'cyd'] }),
    ).toEqual({
      need: 2,
      from: ['@ops', 'bob'],
    });
    expect(bothApprovers({ from: ['ann'] }, { from: ['bob'], notRequester: true })).toEqual(NOBODY);
  });

  test('are nobody where nobody is named by both, also for somebody who is called so', () => {
    const state = asking(NOBODY);
    const nobody = person('nobody', { id: { issuer: 'nobody', subject: 'nobody' }, groups: ['nobody'] });
    expect(answered(state, nobody).kept).toEqual(['vote-cast']);
    expect(answered(answered(state, nobody).state, person('nobody')).kept).toEqual(['vote-cast']);
    expect(peopleWords(NOBODY)).toBe('for nobody: no approval of it counts');
  });

  const names = ['ann', 'bob', 'cyd', '@ops', '@leads'];
  const policies = fc
    .record(
      {
        need: fc.integer({ min: 1, max: 3 }),
        from: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
        notRequester: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .filter((policy) => approversProblem(policy) === undefined);

  test('of several who say so are the same in any order, and each has what it wants', () => {
    fc.assert(
      fc.property(policies, policies, policies, (one, other, third) => {
        const sorted = (policy?: ApprovalPolicy) => ({
          ...policy,
          ...(policy?.from && { from: [...policy.from].sort() }),
        });
        const all = bothApprovers(bothApprovers(one, other), third);
        expect(sorted(bothApprovers(third, bothApprovers(other, one)))).toEqual(sorted(all));
        if (all !== undefined && isForNobody(all)) return;
        for (const { need = 1, from, notRequester = false } of [one, other, third]) {
          expect(all?.need ?? 1).toBeGreaterThanOrEqual(need);
          if (notRequester) expect(all?.notRequester).toBe(true);
          if (from !== undefined) expect(all?.from?.filter((name) => !from.includes(name))).toEqual([]);
        }
      }),
    );
  });

  test.for([
    ['pay needs 2', 'pay', { need: 2 }],
    ['pay needs 2 people', 'pay', { need: 2 }],
    ['pay needs 2 of @ops, not whoever asked', 'pay', { need: 2, from: ['@ops'], notRequester: true }],
    ['pay {"to":"x"} needs 1 of ann, bob', 'pay {"to":"x"}', { from: ['ann', 'bob'] }],
    ['run_command git push needs 1, not whoever asked', 'run_command git push', { notRequester: true }],
    ['pay {"memo":"it needs 2"}', 'pay {"memo":"it needs 2"}', undefined],
    ["run_command echo 'needs' 2", "run_command echo 'needs' 2", undefined],
    ['pay needs two', 'pay', NOBODY],
    ['pay needs 0', 'pay', NOBODY],
    ['pay needs 3 of ann, bob', 'pay', NOBODY],
    ['pay needs 2 of', 'pay', NOBODY],
  ] as const)('are read from the words of a rule: %s', ([text, before, approvers]) => {
    const { problem, ...split } = splitPeople(text);
    expect(split).toEqual({ before, ...(approvers !== undefined && { approvers }) });
    expect(problem === undefined).toBe(approvers !== NOBODY);
    if (approvers === undefined || problem !== undefined) return;
    expect(splitPeople(`${before} ${policyWords(approvers)}`)).toEqual(split);
  });

  test.for([
    [{ need: 0 }, '`need` must be 1..20, got 0'],
    [{ need: 1.5 }, '`need` must be 1..20, got 1.5'],
    [{ from: [] }, '`from` must list 1..100 names of people, or of groups as `@ops`'],
    [{ need: 3, from: ['ann', 'bob', 'ann'] }, '3 are needed, and `from` names 2'],
    [{ needs: 2 }, '`needs` is no member of `approvers`'],
  ] as const)('%j are refused where they are written', ([given, why]) => {
    expect(() => approversOf(given as ApprovalPolicy)).toThrow(why);
  });
});
