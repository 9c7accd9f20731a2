// What people say about a question that needs several, made up; and the law, said once more and by itself.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { Actor, ApprovalPolicy, Resolution, RunState, SessionEvent } from '../../src/core/index.js';
import {
  answerEvents,
  answerProblem,
  approversProblem,
  openInterrupts,
  plainAnswer,
} from '../../src/core/index.js';
import { AT, interruptOf, modelSaid, raised, requestPart, userSaid } from '../helpers/events.js';

export type Person = Actor & { readonly type: 'person' };

export const NAMES = ['ann', 'bob', 'cyd', 'dan'];
const people: fc.Arbitrary<Person> = fc
  .tuple(
    fc.constantFrom(...NAMES, 'nobody'),
    fc.constantFrom(undefined, 'https://id', 'https://id', 'x:tokens'),
    fc.constantFrom(undefined, ['ops'], ['ops', 'leads']),
  )
  .map(([name, issuer, groups]) => ({
    type: 'person',
    name: issuer === undefined ? name : `${name} by another name`,
    via: issuer === undefined ? 'library' : 'web',
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
/** Whom a question needs. */
export const policies: fc.Arbitrary<ApprovalPolicy> = fc
  .record(
    {
      need: fc.integer({ min: 1, max: 3 }),
      from: fc.uniqueArray(fc.constantFrom('ann', 'bob', 'cyd', '@ops', 'https://id/dan'), { minLength: 1 }),
      notRequester: fc.boolean(),
      issuers: fc.uniqueArray(fc.constantFrom('https://id', 'x:tokens'), { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter((policy) => approversProblem(policy) === undefined);
/** Words about a question, one after the other. */
export const steps = fc.array(
  fc.record({
    by: voters,
    resolution: resolutions,
    /** By a door that asks first, or as events that something else wrote. */
    how: fc.constantFrom('door', 'door', 'vote', 'decision', 'decision with votes'),
  }),
  { maxLength: 10 },
);
export type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

const ANN: Person = {
  type: 'person',
  name: 'ann',
  via: 'terminal',
  id: { issuer: 'https://id', subject: 'ann' },
};

/** Ann asked for a payment, and the call waits. */
export function begun(approvers: ApprovalPolicy): readonly SessionEvent[] {
  const draft = { approvers };
  return [
    { ...userSaid('pay them'), by: ANN } as SessionEvent,
    modelSaid([requestPart('pay', 'r1', { amount: 1 })]),
    raised(interruptOf('pay', 'r1', { input: { amount: 1 }, raisedBy: 'approval', draft })),
  ];
}

/** The events that a step makes of a state. */
export function eventsOf(state: RunState, { by, resolution, how }: Step): readonly SessionEvent[] {
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

/** The law, said once more and by itself: the most people of doors that count together who said so. */
export function agreedTo(
  policy: ApprovalPolicy,
  events: readonly SessionEvent[],
  resolution: Resolution,
): number {
  const said = new Map<
    string,
    { readonly words: string; readonly issuer: string; readonly subject: string }
  >();
  for (const event of events) {
    const isVote = event.type === 'vote-cast';
    if (!isVote && event.type !== 'interrupt-resolved') continue;
    const { by } = event;
    if (by.type !== 'person') continue;
    const { name, id, groups = [] } = by;
    const { issuer, subject } = id ?? { issuer: 'library', subject: name };
    const isNamed =
      policy.from === undefined ||
      policy.from.some((entry) =>
        entry.startsWith('@')
          ? groups.includes(entry.slice(1))
          : entry === subject || entry === `${issuer}/${subject}`,
      );
    const counts = policy.issuers === undefined || policy.issuers.includes(issuer);
    const isAsker = policy.notRequester === true && subject === 'ann';
    const isOther =
      policy.notRequester === true &&
      issuer !== 'https://id' &&
      policy.issuers?.includes('https://id') !== true;
    const key = policy.issuers === undefined ? `${issuer}/${subject}` : subject;
    if (isNamed && counts && !isAsker && !isOther)
      said.set(key, { words: JSON.stringify(event.resolution), issuer, subject });
  }
  const alike = [...said.values()].filter(({ words }) => words === JSON.stringify(resolution));
  if (policy.issuers !== undefined) return alike.length;
  const doors = new Set(alike.map(({ issuer }) => issuer));
  return Math.max(0, ...[...doors].map((door) => alike.filter(({ issuer }) => issuer === door).length));
}

/** Checks the law for what was kept. @returns whether somebody agreed */
export function holds(policy: ApprovalPolicy, state: RunState, kept: readonly SessionEvent[]): boolean {
  const decided = state.resolved.at(-1);
  if (decided?.resolution.action !== 'restart') return false;
  const { input } = decided.resolution;
  const isFourEyes = (policy.need ?? 1) > 1 || policy.notRequester === true;
  if (input !== undefined && isFourEyes) {
    expect(state.open?.calls[0]?.approval).toBeUndefined(); // it only proposes
    return false;
  }
  const before = kept.slice(0, kept.findIndex(({ type }) => type === 'interrupt-resolved') + 1);
  expect(agreedTo(policy, before, decided.resolution)).toBeGreaterThanOrEqual(policy.need ?? 1);
  return true;
}
