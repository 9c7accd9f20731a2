// Votes that go through a store, as two processes have it: its journal holds what the law makes of the same words.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { Answer, RunState, SessionEvent, SessionId, SessionStore } from '../../src/core/index.js';
import { fold, isHitlError, openInterrupts } from '../../src/core/index.js';
import type { FuzzCase } from './fuzz.js';
import { begun, eventsOf, holds, policies, steps } from './vote-steps.js';

/** A store as two processes have it. */
export interface TwoDoors {
  readonly store: SessionStore;
  readonly another: SessionStore;
}

const REFUSED = new Set(['BAD_ANSWER', 'NOT_ELIGIBLE', 'ALREADY_ANSWERED', 'INTERRUPT_NOT_FOUND']);

/** An answer comes once, again under its name by the other door, or by both doors at the same time. */
const ways = fc.array(fc.constantFrom('once', 'again', 'together'), { minLength: 10, maxLength: 10 });

/** The words that count in a session, in their order. */
function wordsOf(events: readonly SessionEvent[]): readonly object[] {
  return events.flatMap((event) =>
    event.type === 'vote-cast' || event.type === 'interrupt-resolved'
      ? [{ type: event.type, by: event.by, resolution: event.resolution }]
      : [],
  );
}

/** Posts an answer; what a door refuses is no failure. */
async function post(store: SessionStore, id: SessionId, answer: Answer, receipt: string): Promise<void> {
  try {
    const { type } = await store.post(id, answer, { receipt });
    if (type === 'left') await taken(store, id); // the other door wrote at that moment
  } catch (thrown) {
    if (!isHitlError(thrown) || !REFUSED.has(thrown.code)) throw thrown;
  }
}

/** Takes what was left, as whoever writes the session does. */
async function taken(store: SessionStore, id: SessionId): Promise<void> {
  const session = await store.open(id, 'write').catch((thrown: unknown) => {
    if (isHitlError(thrown) && thrown.code === 'SESSION_LOCKED') return undefined;
    throw thrown;
  });
  if (session === undefined) return;
  await using held = session;
  const inbox = held.answers();
  for (let left = await inbox.take(); left !== undefined; left = await inbox.take()) {
    const { resolution, by } = left;
    const receipt = inbox.receiptOf?.(left);
    const events = eventsOf(held.state, { resolution, by, how: 'door' });
    await held.append(
      events.map((event) =>
        receipt !== undefined && (event.type === 'vote-cast' || event.type === 'interrupt-resolved')
          ? { ...event, receipt }
          : event,
      ),
    );
  }
}

/** Votes that are posted to stores: nothing is lost, counted twice or agreed to without its people. */
export function votesThrough(doors: () => TwoDoors, runs: number): FuzzCase {
  return {
    runs,
    property: () =>
      fc.asyncProperty(policies, steps, ways, async (policy, all, how) => {
        const { store, another } = doors();
        const created = await store.create({ agent: { model: 'demo', tools: [] }, events: begun(policy) });
        const { id } = created;
        await created[Symbol.asyncDispose]();
        let model: RunState = fold(begun(policy));
        const expected: SessionEvent[] = [];
        for (const [at, { by, resolution }] of all.entries()) {
          const [open] = openInterrupts(model);
          if (open === undefined) break;
          const answer = { id: open.id, digest: open.digest, resolution, by };
          const once = (one: SessionStore): Promise<void> => post(one, id, answer, `r${at}`);
          if (how[at] === 'together') await Promise.all([once(store), once(another)]);
          else await once(at % 2 === 0 ? store : another);
          if (how[at] === 'again') await once(at % 2 === 0 ? another : store);
          await taken(another, id);
          const events = eventsOf(model, { by, resolution, how: 'door' });
          expected.push(...events);
          model = fold(events, model);
        }
        await using session = await another.open(id, 'read');
        const kept: SessionEvent[] = [];
        for await (const { event } of session.events()) kept.push(event);
        expect(wordsOf(kept)).toEqual(wordsOf(expected));
        holds(policy, session.state, kept);
      }),
  };
}
