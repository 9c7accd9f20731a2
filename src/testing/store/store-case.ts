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
  /** The same sessions from another process. Default: `store`, for stores in memory. */
  readonly another?: SessionStore;
  /**
   * Takes a session from its writer, like an expired lease or a lock of an isolated machine. Absent if impossible.
   */
  readonly takeAway?: (id: SessionId) => void | Promise<void>;
}

/** A promise of the port, tested on its own store. */
export interface StoreCase {
  /** A whole sentence. */
  readonly title: string;
  /**
   * @returns `left-out` if the store lacks the capability.
   * @throws AssertionError if the promise is broken
   */
  run(tested: StoreUnderTest): Promise<'held' | 'left-out'>;
}

/** The stores of a case, including a second one. */
export type Tried = StoreUnderTest & { readonly another: SessionStore };

/** A promise that every store keeps. */
export function promise(title: string, hold: (tried: Tried) => Promise<void>): StoreCase {
  return promiseWhere(title, (tried) => tried, hold);
}

/** A promise of stores with a capability; `having` finds it. */
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

/** Long enough for any store, but limited. */
export function soon(): AbortSignal {
  const stop = new AbortController();
  setTimeout(() => {
    stop.abort(new Error('the store did not do it within 30 s'));
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

/** Returns a session's contents besides its creation and opening events, as a reader finds them. */
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

/** Creates a closed session with these events. */
export async function filled(store: SessionStore, events: readonly SessionEvent[]): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(events);
  return session.id;
}

/** A session that waits for the answer to `question`. */
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

/** Lets an unvalidated string pass as an id, like a careless caller. */
export function isUnchecked(_text: string): _text is SessionId {
  return true;
}

/** @throws AssertionError unless it is refused with this code */
export async function refused(action: Promise<unknown>, code: HitlErrorCode): Promise<void> {
  const outcome = await action.then(
    () => 'nothing was refused',
    (error: unknown) => (isHitlError(error) ? error.code : error),
  );
  assert.deepEqual(outcome, code);
}

/** Of several concurrent attempts, one succeeds, and all others fail with one of these codes. */
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
