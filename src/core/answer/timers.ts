import type { SessionEvent } from '../state/event.js';
import { interruptId } from '../data/ids.js';
import { jsonEquals } from '../data/json.js';
import type { Interrupt, OnTimeout } from '../data/interrupt.js';
import { makeInterrupt } from '../question/make-interrupt.js';
import type { RunState } from '../state/state.js';
import { eachOpenInterrupt } from '../state/state.js';
import { isoTime, timeOf } from '../data/duration.js';
import { approversJson, succeeding } from '../question/approvers.js';
import { expiredResolution } from './expiry.js';

// Invariants:
// T1 What is due follows from the state and a moment, and from nothing else: whoever writes the session fires it.
// T2 A writer fires what is due before it takes an answer that comes now; what is in the journal first counts.
// T3 Nothing is approved by time: what a timer gives is an answer with a schema, a no, the end, or another question.
// T4 Time ends no demand: four eyes and the number of people outlive an escalation, unless it says otherwise in so many words.

/** A session event that happens automatically at a set time. */
export interface Timer {
  readonly type: 'question';
  /** Time in milliseconds since 1970. A timer whose time cannot be parsed is due. */
  readonly at: number;
  readonly interrupt: Interrupt;
}

/** Returns the next timer, or the oldest if several have the same time; `undefined` if there is none. */
export function nextTimer(state: RunState): Timer | undefined {
  let first: Timer | undefined;
  eachOpenInterrupt(state, (interrupt) => {
    if (interrupt.expiresAt === undefined) return;
    const time = timeOf(interrupt.expiresAt);
    const at = Number.isNaN(time) ? 0 : time;
    if (first === undefined || at < first.at) first = { type: 'question', at, interrupt };
  });
  return first;
}

/**
 * Returns the first due event of a state; `undefined` if nothing is due. After you record the event, call
 * this function again, because another event may follow.
 * @param now milliseconds since 1970
 */
export function dueEvent(state: RunState, now: number): SessionEvent | undefined {
  const timer = nextTimer(state);
  return timer === undefined || timer.at > now ? undefined : fired(timer, state, now);
}

/**
 * Records all due events of a session, one after another (T2).
 * @param session receives the recorded events
 * @returns false if nothing was due
 */
export async function fireDue(
  session: { readonly state: RunState },
  now: number,
  keep: (event: SessionEvent) => Promise<void>,
): Promise<boolean> {
  for (let any = false; ; any = true) {
    const event = dueEvent(session.state, now);
    if (event === undefined) return any;
    await keep(event);
  }
}

function fired({ interrupt }: Timer, state: RunState, now: number): SessionEvent {
  const { id, digest, path, onTimeout } = interrupt;
  const at = isoTime(now);
  const scope = path !== '' && { scope: path };
  if (onTimeout?.action === 'escalate') {
    const next = escalated(interrupt, onTimeout, `i${state.interruptCount + 1}`, at);
    return { type: 'interrupt-escalated', id, interrupt: next, ...scope };
  }
  const resolution = expiredResolution(interrupt);
  return {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution,
    by: { type: 'clock' },
    resolvedAt: at,
    ...scope,
  };
}

/**
 * Returns the same question addressed to someone else. Its content, possible answers and bindings are
 * unchanged.
 */
function escalated(
  { id, path, ...asked }: Interrupt,
  { to, prompt, timeoutMs, onTimeout, approvers }: OnTimeout & { action: 'escalate' },
  newId: string,
  raisedAt: string,
): Interrupt {
  const { digest: _digest, expiresAt: _over, onTimeout: _done, escalated: _before, ...rest } = asked;
  const { approvers: before, ...same } = rest;
  const people = succeeding(before, approvers); // T4
  const areOthers = !jsonEquals(approversJson(before ?? {}), approversJson(people ?? {}));
  const draft = {
    ...same,
    ...(people !== undefined && { approvers: people }),
    escalated: {
      id,
      to,
      ...(prompt !== undefined && { prompt }),
      ...(areOthers && { approvers: before ?? {} }),
    },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onTimeout !== undefined && { onTimeout }),
  };
  return makeInterrupt(draft, { id: interruptId(newId), path, raisedAt });
}
