import assert from 'node:assert/strict';

import type {
  Answer,
  HitlErrorCode,
  Session,
  SessionEvent,
  SessionId,
  SessionStore,
  StoredEvent,
} from '../../core/index.js';
import { isHitlError, isSessionId } from '../../core/index.js';
import { agent, confirmation, transferTurn } from './sample-events.js';

/** A store under test, initially empty. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /**
   * A store that accesses the same sessions from another process. Default: `store`, which is suitable for
   * in-memory stores.
   */
  readonly another?: SessionStore;
  /**
   * Takes a session away from the process that is writing to it, as if its lease had expired or its machine
   * had lost its lock. Absent if the store cannot simulate this.
   */
  readonly takeAway?: (id: SessionId) => void | Promise<void>;
}

/** A test case for one guarantee of the `SessionStore` port. Each case needs its own store. */
export interface StoreCase {
  /** A whole sentence. */
  readonly title: string;
  /**
   * @returns `left-out` if the store lacks the required capability.
   * @throws AssertionError if the guarantee is broken
   */
  run(tested: StoreUnderTest): Promise<'held' | 'left-out'>;
}

/** The stores of a test case, always including the second one. */
export type Tried = StoreUnderTest & { readonly another: SessionStore };

/** Returns a case for a guarantee that every store must provide. */
export function promise(title: string, hold: (tried: Tried) => Promise<void>): StoreCase {
  return promiseWhere(title, (tried) => tried, hold);
}

/**
 * Returns a case for stores with a capability. `having` returns the capability, or `undefined` if the store
 * lacks it.
 */
export function promiseWhere<Having>(
  title: string,
  having: (tried: Tried) => Having | undefined,
  hold: (having: Having, tried: Tried) => Promise<void>,
): StoreCase {
  return {
    title,
    async run(tested) {
      const tried = { ...tested, another: tested.another ?? tested.store };
      const found = having(tried);
      if (found === undefined) return 'left-out';
      await hold(found, tried);
      return 'held';
    },
  };
}

/** Returns a signal that aborts after a time long enough for any store. */
export function soon(): AbortSignal {
  const stop = new AbortController();
  setTimeout(() => {
    stop.abort(new Error('the store did not finish within 30 s'));
  }, 30_000).unref();
  return stop.signal;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function eventsOf(session: Session): Promise<readonly StoredEvent[]> {
  return collect(session.events());
}

/**
 * Returns the events of a session as a reader sees them, except those for creating and opening the session.
 */
export async function contentOf(store: SessionStore, id: SessionId): Promise<readonly SessionEvent[]> {
  await using session = await store.open(id, 'read');
  const events = (await eventsOf(session)).map(({ event }) => event);
  return events.filter(({ type }) => type !== 'session-created' && type !== 'session-opened');
}

export async function idsOf(
  sessions: AsyncIterable<{ readonly id: SessionId }>,
): Promise<readonly SessionId[]> {
  return (await collect(sessions)).map(({ id }) => id);
}

export async function closed(opening: Promise<Session>): Promise<Session> {
  const session = await opening;
  await session[Symbol.asyncDispose]();
  return session;
}

/** Creates a session with these events and closes it. */
export async function filled(store: SessionStore, events: readonly SessionEvent[]): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(events);
  return session.id;
}

/** Creates a session that is waiting for an answer to `question`. */
export async function waiting(store: SessionStore): Promise<SessionId> {
  return filled(store, transferTurn().slice(0, 5));
}

export const question = confirmation('i1', 'a', { amount: 200 });

export function answerOf(name: string, action: 'restart' | 'cancel' = 'restart'): Answer {
  const resolution = action === 'cancel' ? ({ action, reason: 'no' } as const) : ({ action } as const);
  const { id, digest } = question;
  return { id, digest, resolution, by: { type: 'person', name, via: 'answer' } };
}

export function sessionId(text: string): SessionId {
  if (!isSessionId(text)) throw new Error(`no id: ${text}`);
  return text;
}

/** Treats a string as an ID without validating it, as a careless caller might. */
export function isUnchecked(_text: string): _text is SessionId {
  return true;
}

/** @throws AssertionError unless the action fails with this error code */
export async function refused(action: Promise<unknown>, code: HitlErrorCode): Promise<void> {
  const outcome = await action.then(
    () => 'nothing was refused',
    (error: unknown) => (isHitlError(error) ? error.code : error),
  );
  assert.deepEqual(outcome, code);
}

/**
 * Checks that exactly one of several concurrent attempts succeeds, and that all others fail with one of these
 * codes.
 */
export async function onlyOne<Result>(
  racers: readonly Promise<Result>[],
  ...codes: readonly HitlErrorCode[]
): Promise<Result> {
  const results = await Promise.allSettled(racers);
  const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const others = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  const unlike = others.filter((error) => !isHitlError(error) || !codes.includes(error.code));
  assert.deepEqual([winners.length, unlike], [1, []], 'exactly one may');
  const [winner] = winners;
  assert.ok(winner !== undefined);
  return winner;
}
