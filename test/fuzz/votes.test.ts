// Votes against their law: whatever is cast, doubled, left out, forged or expired, nothing is agreed to without its people.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { ApprovalPolicy, Resolution, RunState, SessionEvent } from '../../src/core/index.js';
import {
  approversOf,
  evolve,
  fold,
  makeInterrupt,
  openInterrupts,
  peopleAgreed,
  ROOT_PATH,
  withCallPeople,
} from '../../src/core/index.js';
import { AT, interruptOf, raised, toolStarted } from '../helpers/events.js';
import { fuzzTarget } from './fuzz.js';
import type { Person, Step } from './vote-steps.js';
import { agreedTo, begun, eventsOf, holds, NAMES, policies, steps } from './vote-steps.js';

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
