import { describe, expect, test } from 'vitest';

import type {
  Actor,
  ApprovalPolicy,
  Interrupt,
  JsonValue,
  Person,
  Resolution,
  RunState,
  SessionEvent,
} from '../../src/core/index.js';
import {
  answerEvents,
  answerProblem,
  deadlineOf,
  dueEvent,
  evolve,
  fold,
  LAW,
  NOBODY,
  openInterrupts,
  peopleWords,
  plainAnswer,
  ROOT_PATH,
  timeoutProblem,
} from '../../src/core/index.js';
import {
  approversJson,
  approversProblem,
  asksAll,
  bothApprovers,
  readApprovers,
  succeeding,
} from '../../src/core/question/approvers.js';
import { sessionEventSchema } from '../../src/core/told/schemas.js';
import { AT, interruptOf, modelSaid, raised, requestPart, toolStarted, userSaid } from '../helpers/events.js';

const YES: Resolution = { action: 'restart' };
const NO: Resolution = { action: 'reject' };

function person(name: string, more: Partial<Person> = {}): Person {
  return { type: 'person', name, via: 'library', ...more };
}
/** Somebody at a terminal of one machine. */
function local(name: string, user: number): Person {
  return person(name, { via: 'answer', id: uid(user) });
}
function uid(user: number): NonNullable<Person['id']> {
  return { issuer: 'local:box', subject: String(user) };
}
function signedIn(name: string): Person {
  return person(name, { via: 'web', id: { issuer: 'https://id', subject: name } });
}
const [ANN, BOB, CYD, DAN] = [person('ann'), person('bob'), person('cyd'), person('dan')];
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

  test.for<readonly [string, Actor]>([
    ['another spelling (F14)', person('Ann')],
    ['a form of the same letters (F14)', person('ａｎｎ')],
    ['another name of one user ID (A9)', person('anna', { via: 'answer', id: uid(1000) })],
  ])('counts nobody twice by %s', ([, again]) => {
    const first = again.type === 'person' && again.id !== undefined ? local('ann', 1000) : ANN;
    expect(answered(answered(state, first).state, again).kept).toEqual(['vote-cast']);
  });

  test('counts two user IDs with one name as two (A9)', () => {
    const first = answered(state, local('ann', 1000)).state;
    expect(answered(first, local('ann', 1001)).kept).toEqual(['vote-cast', 'interrupt-resolved']);
  });

  test.for([
    ['another person', signedIn('bob')],
    ['the same name', signedIn('ann')],
  ] as const)('takes the votes of one door only, whatever kept them: %s (F14)', ([, other]) => {
    const first = answered(state, local('ann', 1000)).state;
    const why =
      'ann voted through local:box, and this vote comes through https://id: they may be the same person';
    expect(() => answered(first, other)).toThrow(why);
    expect(() => evolve(first, { type: 'vote-cast', castAt: AT, ...theAnswer(first), by: other })).toThrow(
      why,
    );
  });

  test('takes the votes of two doors that it names, but counts one name at both once (F14)', () => {
    const both = asking({ need: 2, issuers: ['local', 'https://id'] });
    const first = answered(both, local('ann', 1000)).state;
    expect(answered(first, signedIn('ann')).kept).toEqual(['vote-cast']);
    expect(answered(first, signedIn('bob')).kept).toEqual(['vote-cast', 'interrupt-resolved']);
    expect(() => answered(first, person('cyd'))).toThrow(
      'cyd was identified by library, which is not an accepted issuer (local, https://id)',
    );
  });

  test.for(['terminal', 'answer', 'web', 'slack'] as const)(
    'takes no vote of a name that nothing proves, by %s (A9)',
    (via) => {
      const claimed: Actor = { type: 'person', name: 'cyd', via };
      expect(() => answered(state, claimed)).toThrow(
        'the identity of cyd is not verified, and this needs an answer from 2 people',
      );
      expect(forged(state, claimed)).toThrow('the identity of cyd is not verified');
    },
  );

  test('is approved by two who say different things to the model with it; the last one is heard', () => {
    const first = answered(state, ANN, { ...YES, note: 'use tabs' });
    const second = answered(first.state, BOB, { ...YES, note: 'no tests' });
    expect(second.kept).toEqual(['vote-cast', 'interrupt-resolved']);
    expect(second.state.open?.calls[0]?.notes).toEqual(['no tests']);
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
    expect(forged(before, by)).toThrow(/ILLEGAL_EVENT|is invalid/u);
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
    expect(() => evolve(state, decided)).toThrow('needs 2 matching votes, has 0');
    expect(() => fold([vote(ANN), vote(ANN), decided], state)).toThrow('needs 2 matching votes, has 1');
    const altered = { ...decided, votes: votes.with(0, { by: CYD, resolution: YES, castAt: AT }) };
    expect(() => fold([vote(ANN), vote(BOB), altered], state)).toThrow(
      'its votes differ from the votes cast',
    );
    expect(fold([vote(ANN), vote(BOB), decided], state).resolved.length).toBe(1);
  });
});

describe('a question that says in what people agree', () => {
  const policy: ApprovalPolicy = { need: 2, over: 'decision', veto: 'reject' };
  const says = (output: JsonValue): Resolution => ({ action: 'respond', output });

  function asked(approvers: ApprovalPolicy): RunState {
    const draft = { approvers };
    const input = { amount: 1 };
    return fold([
      { ...userSaid('pay them'), by: CYD } as SessionEvent,
      modelSaid([requestPart('pay', 'r1', input)]),
      raised(interruptOf('pay', 'r1', { kind: 'question', input, draft })),
    ]);
  }

  test('is decided by two who say the same there, whatever else they say, in the words of the last', () => {
    const first = answered(asked(policy), ANN, says({ decision: 'approve', note: 'by Friday' }));
    expect(first.kept).toEqual(['vote-cast']);
    const second = answered(first.state, BOB, says({ decision: 'approve', note: 'fine' }));
    expect(second.kept).toEqual(['vote-cast', 'interrupt-resolved']);
    expect(second.state.resolved.at(-1)).toMatchObject({
      resolution: says({ decision: 'approve', note: 'fine' }),
      votes: [{ by: ANN, resolution: says({ decision: 'approve', note: 'by Friday' }) }, { by: BOB }],
    });
  });

  test('waits for more where they do not agree there, or one says nothing there', () => {
    const first = answered(asked(policy), ANN, says({ decision: 'approve' })).state;
    for (const other of [{ decision: 'later' }, { note: 'approve' }, 'approve', { __proto__: null }])
      expect(answered(first, BOB, says(other)).kept).toEqual(['vote-cast']);
  });

  test.for<readonly [ApprovalPolicy, JsonValue]>([
    [policy, { decision: 'reject', note: 'too much' }],
    [{ need: 2, veto: false }, false],
  ])('is decided at once by one of those asked who says its veto: %j, %j', ([approvers, no]) => {
    expect(answered(asked(approvers), BOB, says(no)).kept).toEqual(['interrupt-resolved']);
    const others = { ...approvers, from: ['ann', 'dan'], notRequester: true };
    expect(() => answered(asked(others), BOB, says(no))).toThrow('bob cannot answer');
    expect(() => answered(asked({ ...approvers, notRequester: true }), CYD, says(no))).toThrow(
      'cyd requested it',
    );
  });

  test('is asked in words that say so', () => {
    expect(
      [policy, { need: 2, veto: 'no' }, { need: 2, over: 'decision' }, { over: 'it' }].map((one) =>
        peopleWords(one),
      ),
    ).toEqual([
      'needs 2 approvers who agree on decision, or one who answers decision: reject',
      'needs 2 approvers, or one who answers no',
      'needs 2 approvers who agree on decision',
      'needs a person',
    ]);
  });

  test('keeps what it says through JSON, joins, and an escalation, and loses it beside people who must agree in all', () => {
    expect(readApprovers(approversJson(policy))).toEqual(policy);
    expect(succeeding(policy, { from: ['@leads'] })).toEqual({ ...policy, from: ['@leads'] });
    expect(bothApprovers(policy, { from: ['ann', 'bob'] })).toEqual({ ...policy, from: ['ann', 'bob'] });
    expect(bothApprovers(policy, { need: 3 })).toEqual({ need: 3 });
    expect(asksAll(policy, { need: 2 })).toBe(false);
    expect(asksAll({ need: 2 }, policy)).toBe(true);
    expect(asksAll(policy, policy)).toBe(true);
  });

  test.for([
    { need: 2, over: '' },
    { need: 2, over: 1 },
    { need: 2, veto: null },
    { need: 2, veto: ['no'] },
  ])('is refused where it is written otherwise: %j', (given) => {
    expect(approversProblem(given)).toMatch(/^`(?:over|veto)` must /);
    expect(readApprovers(given)).toEqual(NOBODY);
  });
});

describe('a session in files of one user', () => {
  const owned = (approvers: ApprovalPolicy): RunState => {
    const opened = { type: 'session-opened', epoch: 1, pid: 1, host: 'box', law: LAW, owner: 1000 } as const;
    return evolve(asking(approvers), opened);
  };
  const why =
    'the session files belong to user ID 1000, so 2 people cannot vote from the command line: use `hitl serve --auth`, or PostgreSQL';

  test.for([{ need: 2 }, { need: 2, issuers: ['local'] }, { need: 2, issuers: ['local:box'] }] as const)(
    'takes no vote of any local user, whatever kept it: %j (A9)',
    (approvers) => {
      const state = owned(approvers);
      for (const by of [local('ann', 1000), local('bin', 2)]) {
        expect(() => answered(state, by)).toThrow(why);
        const cast: SessionEvent = { type: 'vote-cast', castAt: AT, ...theAnswer(state), by };
        expect(() => evolve(state, cast)).toThrow(why);
      }
      expect(answered(state, local('ann', 1000), NO).kept).toEqual(['interrupt-resolved']);
    },
  );

  test('takes the vote of their owner beside those of another door, and of no other user (A9)', () => {
    const state = owned({ need: 2, issuers: ['local', 'https://id'] });
    const first = answered(state, local('ann', 1000)).state;
    expect(() => answered(first, local('root', 0))).toThrow(why);
    expect(answered(first, signedIn('bob')).kept).toEqual(['vote-cast', 'interrupt-resolved']);
  });

  test('takes the word of one local user where one is enough', () => {
    const state = owned({ from: ['ann'] });
    expect(answered(state, local('ann', 1000)).kept).toEqual(['interrupt-resolved']);
  });
});

describe('a question that names people', () => {
  const inOps = person('eve', { groups: ['ops'] });
  const cy = person('Cy', { via: 'web', id: { issuer: 'https://id', subject: 'cyd' } });

  test.for([
    [['bob'], BOB, true],
    [['bob'], ANN, true], // of ann it takes a no only, and she asked for it
    [['bob'], CYD, false],
    [['@ops'], inOps, true],
    [['@ops'], BOB, false],
    [['https://id/cyd'], cy, true],
    [['https://id/cyd'], CYD, false],
    [['cyd'], cy, true],
  ] as const)('of %j takes a no of %j: %j', ([from, by, isTaken]) => {
    const state = asking({ from });
    const [{ id, digest }] = openInterrupts(state) as [Interrupt];
    const problem = answerProblem(state, { id, digest, resolution: NO, by });
    expect(problem?.kind).toBe(isTaken ? undefined : 'not-eligible');
  });

  test('is not approved by others, whatever kept their answer', () => {
    const state = asking({ from: ['bob'] });
    expect(() => answered(state, CYD)).toThrow(
      '`pay#r1` (i1): cyd cannot answer: this needs an answer from bob',
    );
    expect(forged(state, CYD)).toThrow('cyd cannot answer: this needs an answer from bob');
    for (const by of [SCRIPT, RULE, { type: 'clock' }] as const)
      expect(answerProblem(state, { ...theAnswer(state), by })?.message).toContain(
        'only people can answer this',
      );
    expect(answered(state, BOB).kept).toEqual(['interrupt-resolved']);
  });

  test('has no vote of others, whatever kept it', () => {
    const state = asking({ need: 2, from: ['ann', 'bob'] });
    const cast = (by: Actor) => () =>
      evolve(state, { type: 'vote-cast', castAt: AT, ...theAnswer(state), by });
    expect(cast(CYD)).toThrow('cyd cannot answer');
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

describe('an escalation', () => {
  /** The question that others are asked when nobody answered the first one in time. */
  const passedOn = (approvers: ApprovalPolicy, said: ApprovalPolicy): readonly [RunState, Interrupt] => {
    const onTimeout = { escalate: { to: 'the board', approvers: said } };
    const draft = { approvers, ...deadlineOf({ timeout: '1s', onTimeout }) };
    const late = interruptOf('pay', 'r1', { draft });
    const asks = { ...userSaid('pay'), by: ANN } as SessionEvent;
    const state = fold([asks, modelSaid([requestPart('pay', 'r1', {})]), raised(late)]);
    const event = sessionEventSchema.parse(structuredClone(dueEvent(state, Date.parse(AT) + 1000)));
    const after = evolve(state, event);
    return [after, openInterrupts(after)[0]!];
  };

  test.for<[string, ApprovalPolicy, ApprovalPolicy]>([
    ['the names alone', { from: ['@board'] }, { need: 2, from: ['@board'], notRequester: true }],
    ['one alone', { need: 1 }, { from: ['@finance'], notRequester: true }],
    ['nothing', {}, { need: 2, from: ['@finance'], notRequester: true }],
    [
      'that those who asked may approve',
      { need: 1, from: ['@board'], notRequester: false },
      { from: ['@board'], notRequester: false },
    ],
  ])('that names %s keeps what else was demanded (N25)', ([, said, people]) => {
    const before = { need: 2, from: ['@finance'], notRequester: true };
    const [, { approvers, escalated }] = passedOn(before, said);
    expect(approvers).toEqual(people);
    expect(escalated?.approvers).toEqual(
      JSON.stringify(people) === JSON.stringify(before) ? undefined : before,
    );
  });

  test('is approved by nobody who asked for it (N25)', () => {
    const [state, { id, digest }] = passedOn(
      { from: ['@ops'], notRequester: true },
      { from: ['ann', 'bob'] },
    );
    const problem = answerProblem(state, { id, digest, resolution: { action: 'restart' }, by: ANN });
    expect(problem?.message).toContain('ann requested it, so someone else must decide');
  });

  test('cannot leave out what it does not end (N25)', () => {
    const approvers = { need: 2, notRequester: true };
    const onTimeout = { action: 'escalate', to: 'the board', approvers: { need: 1 } } as const;
    const late = interruptOf('pay', 'r1', { draft: { approvers, timeoutMs: 1, onTimeout } });
    const state = fold([userSaid('pay'), modelSaid([requestPart('pay', 'r1', {})]), raised(late)]);
    const due = dueEvent(state, Date.parse(AT) + 1) as SessionEvent & { type: 'interrupt-escalated' };
    const { approvers: _people, ...asked } = due.interrupt;
    expect(() => evolve(state, { ...due, interrupt: asked })).toThrow(
      'does not have the approvers that `i1` specified',
    );
  });

  test('of a journal that an older version wrote still folds', () => {
    const onTimeout = { action: 'escalate', to: 'the board', approvers: { from: ['@board'] } } as const;
    const late = interruptOf('pay', 'r1', { draft: { approvers: { need: 2 }, timeoutMs: 1, onTimeout } });
    const state = fold([userSaid('pay'), modelSaid([requestPart('pay', 'r1', {})]), raised(late)]);
    const due = dueEvent(state, Date.parse(AT) + 1) as SessionEvent & { type: 'interrupt-escalated' };
    const escalated = { id: late.id, to: 'the board' };
    const older = { ...due.interrupt, approvers: { from: ['@board'] }, escalated };
    expect(openInterrupts(evolve(state, { ...due, interrupt: older }))).toEqual([older]);
  });

  test('to fewer people than are needed is refused where it is written', () => {
    const { onTimeout } = deadlineOf({
      timeout: '1s',
      onTimeout: { escalate: { to: 'carol', approvers: { from: ['carol'] } } },
    });
    expect(timeoutProblem({ kind: 'gate', approvers: { need: 2, from: ['@ops'] } }, onTimeout)).toBe(
      'too few approvers after escalation to `carol`: 2 needed, `from` lists 1; list more, or set `need` as well',
    );
    expect(timeoutProblem({ kind: 'gate', approvers: { from: ['@ops'] } }, onTimeout)).toBeUndefined();
  });
});

describe('four eyes', () => {
  test('keep whoever asked from agreeing, by any door, and from nothing else', () => {
    const state = asking({ notRequester: true });
    expect(() => answered(state, ANN)).toThrow('ann requested it, so someone else must decide');
    expect(forged(state, person('A', { id: { issuer: 'x', subject: 'ann' } }))).toThrow('requested it');
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
    expect(() => answered(state, BOB)).toThrow('bob requested it');
    expect(answered(state, CYD).kept).toEqual(['interrupt-resolved']);
  });

  test('let nobody agree where nobody knows who asked', () => {
    const state = asking({ notRequester: true }, SCRIPT);
    expect(() => answered(state, BOB)).toThrow(
      'the requester must not decide this, and the requester is unknown',
    );
  });
});

/** The state in which the gate asks about the edited input, as a process does that takes it up. */
function askedAgain(state: RunState): RunState {
  const { input, proposal } = state.open!.calls[0]!;
  const draft = { approvers: proposal!.approvers, proposed: { by: proposal!.by } };
  return evolve(state, raised(interruptOf('pay', 'r1', { id: 'i2', input, raisedBy: 'approval', draft })));
}

describe.for<readonly [string, ApprovalPolicy, number]>([
  ['four eyes', { notRequester: true }, 1],
  ['a quorum', { need: 2 }, 2],
])('an edit under %s', ([, policy, need]) => {
  const EDIT: Resolution = { action: 'restart', input: { amount: 2 } };
  const edited = answered(asking(policy), BOB, EDIT);

  test('is journaled as a proposal, and lets nothing run (F6)', () => {
    expect(edited.kept).toEqual(['interrupt-resolved']);
    const [call] = edited.state.open!.calls;
    expect(call).toMatchObject({
      input: { amount: 2 },
      proposal: { by: { issuer: 'library', subject: 'bob', name: 'bob' }, was: { amount: 1 } },
      state: { status: 'ready' },
    });
    expect(call?.approval).toBeUndefined();
    expect(() => evolve(edited.state, toolStarted('pay', 'r1', { input: { amount: 2 } }))).toThrow(
      'the input that bob proposed for call `r1` has not been approved',
    );
  });

  test('is no approval in a journal either (F6)', () => {
    expect(forged(asking(policy), BOB, EDIT)).toThrow('an edit of this call is a proposal, not an approval');
  });

  test('is asked again, of others than its author, under any spelling and by any door (F6)', () => {
    const again = askedAgain(edited.state);
    expect(() => answered(again, BOB)).toThrow('bob proposed this input, so someone else must approve it');
    expect(() => answered(again, person('BOB'))).toThrow('BOB proposed this input');
    expect(forged(again, BOB)).toThrow('bob proposed this input');
    expect(() => answered(again, signedIn('cyd'))).toThrow('they may be the same person');
    let state = again;
    for (const by of [CYD, DAN].slice(0, need)) state = answered(state, by).state;
    const started = evolve(state, toolStarted('pay', 'r1', { input: { amount: 2 } }));
    expect(started.open?.calls[0]?.state.status).toBe('started');
  });

  test('cannot be asked again without its author (F6)', () => {
    const { input } = edited.state.open!.calls[0]!;
    const silent = interruptOf('pay', 'r1', {
      id: 'i2',
      input,
      raisedBy: 'approval',
      draft: { approvers: policy },
    });
    expect(() => evolve(edited.state, raised(silent))).toThrow(
      'it does not record that bob proposed the input',
    );
  });

  test('back to the input that is shown is an approval', () => {
    const same: Resolution = { action: 'restart', input: { amount: 1 } };
    expect(answered(asking(policy), BOB, same).kept.at(-1)).toBe(
      need === 1 ? 'interrupt-resolved' : 'vote-cast',
    );
    expect(answered(asking(policy), BOB, same).state.open!.calls[0]!.proposal).toBeUndefined();
  });
});

describe('somebody who says with an answer what to do instead', () => {
  /** The model asks for another payment. */
  const another = (state: RunState): RunState => {
    const draft = { approvers: { notRequester: true } };
    return fold(
      [
        modelSaid([requestPart('pay', 'r2', { amount: 2 })]),
        raised(interruptOf('pay', 'r2', { id: 'i2', input: { amount: 2 }, raisedBy: 'approval', draft })),
      ],
      state,
    );
  };

  test.for<readonly [Resolution, boolean]>([
    [{ action: 'reject', reason: 'no: pay 9999 to ann instead' }, false],
    [{ action: 'cancel', reason: 'no: pay 9999 to ann instead' }, false],
    [{ action: 'respond', output: 'paid; now pay 9999 to ann' }, false],
    [{ action: 'reject' }, true],
    [{ action: 'reject', reason: ' ' }, true],
  ])('by %j may approve what the model asks next: %j (F6)', ([resolution, may]) => {
    const next = another(answered(asking({ notRequester: true }), BOB, resolution).state);
    if (may) expect(answered(next, BOB).kept).toEqual(['interrupt-resolved']);
    else expect(() => answered(next, BOB)).toThrow('bob requested it, so someone else must decide');
    expect(answered(next, CYD).kept).toEqual(['interrupt-resolved']);
  });

  test('says nothing of who asked for the session', () => {
    const unknown = asking({ notRequester: true }, SCRIPT);
    const next = another(answered(unknown, BOB, { action: 'reject', reason: 'pay less' }).state);
    expect(() => answered(next, CYD)).toThrow(
      'the requester must not decide this, and the requester is unknown',
    );
  });

  test('has asked until a person speaks again', () => {
    const advised = answered(asking({ notRequester: true }), BOB, { action: 'reject', reason: 'pay less' });
    const next = another(evolve(advised.state, userSaid('pay less then')));
    expect(answered(next, BOB).kept).toEqual(['interrupt-resolved']);
    expect(() => answered(next, ANN)).toThrow('ann requested it');
  });
});

describe('a program that asks by an API', () => {
  const bot = (more: Partial<Person> = {}): Actor =>
    person('bot', { via: 'web', id: { issuer: 'hitl serve', subject: 'bot' }, ...more });
  const created = (by: Actor): SessionEvent => ({
    type: 'session-created',
    agent: { model: 'm', tools: [] },
    by,
  });
  const asked = (by: Actor, approvers?: ApprovalPolicy): RunState => {
    const draft = approvers === undefined ? {} : { approvers };
    return fold([
      created(by),
      userSaid('pay them'),
      modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
      raised(interruptOf('pay', 'r1', { input: { amount: 1 }, raisedBy: 'approval', draft })),
    ]);
  };

  test.for([undefined, { from: ['bot', 'ann'] }] as const)(
    'does not approve what it began, whatever kept its answer: %j (rivals 2)',
    (approvers) => {
      const state = asked(bot(), approvers);
      const why = 'bot requested it through an API, so someone else must approve it';
      for (const resolution of [YES, { action: 'restart', input: { amount: 2 } }] as const) {
        expect(() => answered(state, bot(), resolution)).toThrow(why);
        expect(forged(state, bot(), resolution)).toThrow(why);
      }
      expect(answered(state, bot(), NO).kept).toEqual(['interrupt-resolved']);
      expect(answered(state, person('ann')).kept).toEqual(['interrupt-resolved']);
    },
  );

  test('may, where the question says so (rivals 2)', () => {
    expect(answered(asked(bot(), { notRequester: false }), bot()).kept).toEqual(['interrupt-resolved']);
  });

  test('does not approve what comes of its words in a session of somebody else (rivals 2)', () => {
    const state = fold([
      created(local('ann', 1000)),
      { ...userSaid('pay them'), by: bot() } as SessionEvent,
      modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
      raised(interruptOf('pay', 'r1', { input: { amount: 1 }, raisedBy: 'approval' })),
    ]);
    expect(() => answered(state, bot())).toThrow('bot requested it through an API');
    expect(answered(state, local('ann', 1000)).kept).toEqual(['interrupt-resolved']);
  });

  test.for([local('ann', 1000), { ...local('ann', 1000), via: 'web' }, person('ann')] as const)(
    'is no person at a machine of their own: %j',
    (by) => {
      expect(answered(asked(by), by).kept).toEqual(['interrupt-resolved']);
    },
  );
});

describe('a journal of an older law', () => {
  const opened = (law?: number): SessionEvent => ({
    type: 'session-opened',
    epoch: 1,
    pid: 1,
    host: 'box',
    ...(law !== undefined && { law }),
  });
  const vote = (state: RunState, by: Actor): SessionEvent => ({
    type: 'vote-cast',
    castAt: AT,
    ...theAnswer(state),
    by,
  });
  const old: Actor = { type: 'person', name: 'ann', via: 'answer' };

  test('is read as it was decided', () => {
    const state = evolve(asking({ need: 2 }), opened());
    const [first, second] = [vote(state, old), vote(state, signedIn('bob'))];
    const votes = [old, signedIn('bob')].map((by) => ({ by, resolution: YES, castAt: AT }));
    const decided = { ...theAnswer(state), by: signedIn('bob'), resolvedAt: AT, votes };
    const after = fold([first, second, { type: 'interrupt-resolved', ...decided }], state);
    expect(openInterrupts(after)).toEqual([]);
  });

  test('has no votes that count once this version writes', () => {
    const cast = evolve(evolve(asking({ need: 2 }), opened()), vote(asking({ need: 2 }), old));
    expect(answered(cast, BOB).kept).toEqual(['vote-cast']);
    expect(evolve(cast, opened(LAW)).votes).toBeUndefined();
    expect(answered(evolve(cast, opened(LAW)), BOB).kept).toEqual(['vote-cast']);
  });

  test('is taken over by a fork, which asks again', () => {
    const forked = evolve(asking({ need: 2 }), {
      type: 'session-created',
      agent: { model: 'm', tools: [] },
      parent: { kind: 'fork' },
    });
    const decided: SessionEvent = {
      type: 'interrupt-resolved',
      ...theAnswer(forked),
      by: old,
      resolvedAt: AT,
    };
    const past = evolve(evolve(forked, opened(LAW)), decided);
    expect(openInterrupts(past)).toEqual([]);
    expect(evolve(past, { type: 'approvals-voided' }).open?.calls[0]?.approval).toBeUndefined();
    expect(() => evolve(evolve(forked, { type: 'approvals-voided' }), decided)).toThrow(
      'the identity of ann is not verified',
    );
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
    expect(() => answered(answered(state, nobody).state, person('nobody'))).toThrow(
      'they may be the same person',
    );
    expect(peopleWords(NOBODY)).toBe('no eligible approver: this can’t be approved');
  });
});
