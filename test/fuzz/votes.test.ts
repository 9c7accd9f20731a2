// Votes against their law: whatever is cast, doubled, left out, forged or expired, nothing is agreed to without its people.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { Actor, ApprovalPolicy, Resolution, RunState, SessionEvent } from '../../src/core/index.js';
import {
  answerEvents,
  answerProblem,
  approversOf,
  approversProblem,
  evolve,
  fold,
  makeInterrupt,
  openInterrupts,
  peopleAgreed,
  plainAnswer,
  ROOT_PATH,
  withCallPeople,
} from '../../src/core/index.js';
import { AT, interruptOf, modelSaid, raised, requestPart, toolStarted, userSaid } from '../helpers/events.js';
import { fuzzTarget } from './fuzz.js';

type Person = Actor & { readonly type: 'person' };

const NAMES = ['ann', 'bob', 'cyd', 'dan'];
const people: fc.Arbitrary<Person> = fc
  .tuple(
    fc.constantFrom(...NAMES, 'nobody'),
    fc.constantFrom(undefined, 'https://id', 'tokens'),
    fc.constantFrom(undefined, ['ops'], ['ops', 'leads']),
  )
  .map(([name, issuer, groups]) => ({
    type: 'person',
    name: issuer === undefined ? name : `${name} by another name`,
    via: issuer === undefined ? 'answer' : 'web',
    ...(issuer !== undefined && { id: { issuer, subject: name } }),
    ...(groups !== undefined && { groups }),
  }));
const others = fc.constantFrom<Actor>(
  { type: 'script', name: 'bob', via: 'flag' },
  { type: 'rule', rule: 'allow pay' },
  { type: 'clock' },
);
const voters = fc.oneof({ weight: 6, arbitrary: people }, { weight: 1, arbitrary: others });
const resolutions = fc.constantFrom<Resolution>(
  ...[{ action: 'restart' } as const, { action: 'restart' } as const],
  { action: 'restart', input: { amount: 2 } },
  { action: 'reject' },
);
const policies: fc.Arbitrary<ApprovalPolicy> = fc
  .record(
    {
      need: fc.integer({ min: 1, max: 3 }),
      from: fc.uniqueArray(fc.constantFrom('ann', 'bob', 'cyd', '@ops', 'https://id/dan'), { minLength: 1 }),
      notRequester: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((policy) => approversProblem(policy) === undefined);
const steps = fc.array(
  fc.record({
    by: voters,
    resolution: resolutions,
    /** By a door that asks first, or as events that something else wrote. */
    how: fc.constantFrom('door', 'door', 'vote', 'decision', 'decision with votes'),
  }),
  { maxLength: 10 },
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/** Ann asked for a payment, and the call waits. */
function begun(approvers: ApprovalPolicy): readonly SessionEvent[] {
  const draft = { approvers };
  return [
    { ...userSaid('pay them'), by: { type: 'person', name: 'ann', via: 'terminal' } } as SessionEvent,
    modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
    raised(interruptOf('pay', 'r1', { input: { amount: 1 }, raisedBy: 'approval', draft })),
  ];
}

function eventsOf(state: RunState, { by, resolution, how }: Step): readonly SessionEvent[] {
  const [open] = openInterrupts(state);
  if (open === undefined) return [];
  const { id, digest } = open;
  const cast: SessionEvent = { type: 'vote-cast', id, digest, resolution, by, castAt: AT };
  const decided: SessionEvent = { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt: AT };
  switch (how) {
    case 'door': {
      const answer = { id, digest, resolution, by };
      if (answerProblem(state, answer) !== undefined) return [];
      return answerEvents(plainAnswer(answer, { interrupt: open }), state, { at: AT });
    }
    case 'vote':
      return [cast];
    case 'decision':
      return [decided];
    case 'decision with votes': {
      const made = ['bob', 'cyd', 'dan'].map((name) => {
        const one: Person = { type: 'person', name, via: 'web', groups: ['ops'] };
        return { by: one, resolution, castAt: AT };
      });
      return [cast, { ...decided, votes: made }];
    }
  }
}

/** The state after what counts of some events, and those events; what is illegal is left out, as no journal holds it. */
function tried(events: readonly SessionEvent[], before: RunState) {
  let state = before;
  const kept: SessionEvent[] = [];
  for (const event of events) {
    try {
      state = evolve(state, event);
      kept.push(event);
    } catch {
      // refused
    }
  }
  return { state, kept };
}

/** The law, said once more and by itself. */
function agreedTo(policy: ApprovalPolicy, events: readonly SessionEvent[], resolution: Resolution): number {
  const said = new Map<string, string>();
  for (const event of events) {
    const isVote = event.type === 'vote-cast';
    if (!isVote && event.type !== 'interrupt-resolved') continue;
    const { by } = event;
    if (by.type !== 'person') continue;
    const { name, id, groups = [] } = by;
    const subject = id?.subject ?? name;
    const isNamed =
      policy.from === undefined ||
      policy.from.some((entry) =>
        entry.startsWith('@')
          ? groups.includes(entry.slice(1))
          : entry === subject || entry === `${id?.issuer ?? ''}/${subject}`,
      );
    if (isNamed && !(policy.notRequester === true && subject === 'ann'))
      said.set(subject, JSON.stringify(event.resolution));
  }
  return [...said.values()].filter((one) => one === JSON.stringify(resolution)).length;
}

function holds(policy: ApprovalPolicy, state: RunState, kept: readonly SessionEvent[]): boolean {
  const decided = state.resolved.at(-1);
  if (decided?.resolution.action !== 'restart') return false;
  const before = kept.slice(0, kept.findIndex(({ type }) => type === 'interrupt-resolved') + 1);
  expect(agreedTo(policy, before, decided.resolution)).toBeGreaterThanOrEqual(policy.need ?? 1);
  return true;
}

function journalOf(policy: ApprovalPolicy, all: readonly Step[]): readonly SessionEvent[] {
  const start = begun(policy);
  let state = fold(start);
  const events: SessionEvent[] = [];
  for (const step of all) {
    const next = tried(eventsOf(state, step), state);
    state = next.state;
    events.push(...next.kept);
  }
  return events;
}

/** Those who were asked agreed, the call began, and whether it runs again is asked: of them, or as a journal may have it of anybody. */
function doubted(policy: ApprovalPolicy, of: 'them' | 'anybody'): RunState {
  let state = fold(begun(policy));
  for (const name of NAMES) {
    const by: Person = {
      type: 'person',
      name,
      via: 'web',
      id: { issuer: 'https://id', subject: name },
      groups: ['ops'],
    };
    state = fold(eventsOf(state, { by, resolution: { action: 'restart' }, how: 'door' }), state);
  }
  fc.pre(openInterrupts(state).length === 0);
  const begins = evolve(state, toolStarted('pay', 'r1', { input: { amount: 1 } }));
  const {
    id,
    digest: _digest,
    path: _path,
    raisedAt: _at,
    ...draft
  } = interruptOf('pay', 'r1', {
    id: 'i2',
    kind: 'in-doubt',
    input: { amount: 1 },
    raisedBy: 'engine',
  });
  const asked = of === 'anybody' ? draft : withCallPeople(begins.open!.calls[0]!, draft);
  return evolve(begins, raised(makeInterrupt(asked, { id, path: ROOT_PATH, raisedAt: AT })));
}

/** The state after these steps, in which a yes is that it runs again; and what was kept. */
function afterAgain(before: RunState, all: readonly Step[]) {
  let state = before;
  const kept: SessionEvent[] = [];
  for (const { resolution, ...step } of all) {
    const again: Resolution = resolution.action === 'restart' ? { action: 'retry' } : resolution;
    const next = tried(eventsOf(state, { ...step, resolution: again }), state);
    state = next.state;
    kept.push(...next.kept);
  }
  return { state, kept };
}

let agreed = 0;
let again = 0;

fuzzTarget('votes', {
  'nothing is agreed to without its people': {
    runs: 400,
    property: () =>
      fc.property(policies, steps, (policy, all) => {
        const kept = journalOf(policy, all);
        if (holds(policy, fold(kept, fold(begun(policy))), kept)) agreed += 1;
      }),
  },
  'nor does what was agreed to run again': {
    runs: 400,
    property: () =>
      fc.property(policies, steps, fc.constantFrom('them', 'anybody'), (policy, all, of) => {
        fc.pre(approversOf(policy) !== undefined); // else anybody may
        const { state, kept } = afterAgain(doubted(policy, of), all);
        if (state.resolved.at(-1)?.resolution.action !== 'retry') return;
        again += 1;
        const { approval, ...call } = state.open!.calls[0]!;
        const people = peopleAgreed({ ...call, approval: approval! });
        if (of === 'them') expect(people).toEqual(approval?.approvers);
        if (people === undefined) return; // nobody in particular agreed: the plan is compared with that
        expect(agreedTo(policy, kept, { action: 'retry' })).toBeGreaterThanOrEqual(policy.need ?? 1);
      }),
  },
  'nor by a journal from elsewhere, with votes cut out, doubled or in another order': {
    runs: 400,
    property: () =>
      fc.property(policies, steps, fc.array(fc.nat(20), { maxLength: 20 }), (policy, all, order) => {
        expect([agreed > 0, again > 0]).toEqual([true, true]); // else the target tried nothing
        const kept = journalOf(policy, all);
        const foreign = order.flatMap((at) => kept[at % Math.max(1, kept.length)] ?? []);
        const { state, kept: counted } = tried(foreign, fold(begun(policy)));
        holds(policy, state, counted);
      }),
  },
});
