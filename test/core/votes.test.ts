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
  dueEvent,
  evolve,
  fold,
  NOBODY,
  openInterrupts,
  peopleWords,
  plainAnswer,
  ROOT_PATH,
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

/** The yes to what is open, without whoever says it. */
function theAnswer(state: RunState) {
  const [{ id, digest }] = openInterrupts(state) as [Interrupt];
  return { id, digest, resolution: YES };
}

/** A decision as a door that forgets everything would keep it. */
function forged(state: RunState, by: Actor, resolution: Resolution = YES): () => RunState {
  const decided = { ...theAnswer(state), resolution, by, resolvedAt: AT };
  return () => evolve(state, { type: 'interrupt-resolved', ...decided });
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
    const altered = { ...decided, votes: votes.with(0, { by: CYD, resolution: YES, castAt: AT }) };
    expect(() => fold([vote(ANN), vote(BOB), altered], state)).toThrow('other votes than were cast');
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
    for (const by of [SCRIPT, RULE, { type: 'clock' }] as const)
      expect(answerProblem(state, { ...theAnswer(state), by })?.message).toContain('this is for people');
    expect(answered(state, BOB).kept).toEqual(['interrupt-resolved']);
  });

  test('has no vote of others, whatever kept it', () => {
    const state = asking({ need: 2, from: ['ann', 'bob'] });
    const cast = (by: Actor) => () =>
      evolve(state, { type: 'vote-cast', castAt: AT, ...theAnswer(state), by });
    expect(cast(CYD)).toThrow('cyd is not asked');
    expect(cast(BOB)().votes).toHaveLength(1);
  });

  test('names them also where it is handed on in time to others', () => {
    const onTimeout = { action: 'escalate', to: 'them' } as const;
    const late = interruptOf('pay', 'r1', {
      draft: { approvers: { from: ['bob'] }, timeoutMs: 1, onTimeout },
    });
    const state = fold([userSaid('pay'), modelSaid([requestPart('pay', 'r1', {})]), raised(late)]);
    const after = evolve(state, dueEvent(state, Date.parse(AT) + 1)!);
    expect(openInterrupts(after)).toMatchObject([
      { escalated: { to: 'them' }, approvers: { from: ['bob'] } },
    ]);
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

  test('keep whoever sent a message to the session from agreeing', () => {
    const sent = {
      type: 'message',
      id: 'm1',
      seq: 1,
      from: BOB,
      at: AT,
      text: 'x',
      priority: 'normal',
    } as const;
    const point = { phase: 'turn', path: ROOT_PATH } as const;
    const told: SessionEvent = { type: 'inbox-delivered', item: sent, point, deliveredAt: AT };
    const state = evolve(asking({ notRequester: true }), told);
    expect(() => answered(state, BOB)).toThrow('bob asked for it');
    expect(answered(state, CYD).kept).toEqual(['interrupt-resolved']);
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

  test('are nobody where nobody is named by both, also for somebody who is called so', () => {
    const state = asking(NOBODY);
    const nobody = person('nobody', { id: { issuer: 'nobody', subject: 'nobody' }, groups: ['nobody'] });
    expect(answered(state, nobody).kept).toEqual(['vote-cast']);
    expect(answered(answered(state, nobody).state, person('nobody')).kept).toEqual(['vote-cast']);
    expect(peopleWords(NOBODY)).toBe('for nobody: no approval of it counts');
  });
});
