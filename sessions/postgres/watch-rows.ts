import type { Clock, SessionId, SessionSummary, StoreChange } from '../../src/core/index.js';
import { isHitlError, isoTime } from '../../src/core/index.js';
import { changesBetween } from '../listing/watch-sessions.js';
import type { Ear } from './bell.js';

// Invariants:
// C1 Each change of a session is a row under the number of its transaction, whoever writes it. A look reads those that
//    the look before could not see: of transactions that were under way then, or began since, by the database's own
//    account. So none is missed however late it is committed, none is read twice, and nothing is kept but that account.
// C2 What happened to a session between two looks is told once: how it was before the first change, and is behind the
//    last one.
// C3 What could not be read is not forgotten: the next look reads from where the last one ended. Whoever could not look
//    for so long that changes were removed tells of what was written since.

/** Longest polling interval. */
const POLL_MS = 1000;
/**
 * Shortest interval between queries, in milliseconds. One query handles all notices received in the meantime.
 */
const REST_MS = 50;
/**
 * Time, in milliseconds, for which changes can be expected to be available. Changes are kept for longer than
 * this.
 */
const KEPT_MS = 9 * 60_000;
/**
 * Safety margin in milliseconds. It exceeds the difference between the clocks of two machines, and the time
 * between the creation of a batch and its write.
 */
const AGAIN_MS = 30_000;

/** The session properties that are compared to detect changes. */
export type SeenSession = Pick<SessionSummary, 'waiting' | 'status' | 'updatedAt'>;

/** A change to a session. `before` is absent if the session is new; `after` is absent if it was removed. */
export interface SessionChange {
  readonly session: SessionId;
  readonly before?: SeenSession;
  readonly after?: SeenSession;
}

/** The source of session changes for a watch. */
export interface SessionChanges {
  /**
   * Returns the changes that were not visible to the query that returned `mark`, in order. Without a mark,
   * returns no changes.
   */
  since(
    mark: string | undefined,
  ): Promise<{ readonly mark: string; readonly changes: readonly SessionChange[] }>;
  /** Yields the sessions written at the given time or later. */
  writtenSince(at: string): AsyncIterable<SessionId>;
}

/** Yields changes to the sessions in a database until the signal aborts. */
export async function* watchRows(
  rows: SessionChanges,
  ear: Ear,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<StoreChange> {
  await ear.ready(); // what is told from the first look on is heard
  let { mark } = await rows.since(undefined);
  let looked = clock.now();
  for (;;) {
    await ear.rung(clock, POLL_MS - REST_MS, signal);
    await clock.sleep(REST_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    ear.taken();
    const now = clock.now();
    let found: readonly StoreChange[];
    try {
      const look = await rows.since(mark);
      found =
        now - looked > KEPT_MS
          ? await written(rows, isoTime(looked - AGAIN_MS))
          : [...changesOf(look.changes)];
      mark = look.mark;
      looked = now;
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      continue; // C3
    }
    yield* found;
  }
}

/** Returns one change for each changed session (C2). */
function changesOf(changes: readonly SessionChange[]): Iterable<StoreChange> {
  const first = new Map<SessionId, SeenSession | undefined>();
  const last = new Map<SessionId, SeenSession | undefined>();
  for (const { session, before, after } of changes) {
    if (!first.has(session)) first.set(session, before);
    last.set(session, after);
  }
  return changesBetween(there(first), there(last));
}

function there(
  sessions: ReadonlyMap<SessionId, SeenSession | undefined>,
): ReadonlyMap<SessionId, SeenSession> {
  const found = new Map<SessionId, SeenSession>();
  for (const [id, session] of sessions) if (session !== undefined) found.set(id, session);
  return found;
}

async function written(rows: SessionChanges, at: string): Promise<readonly StoreChange[]> {
  const found: StoreChange[] = [];
  for await (const session of rows.writtenSince(at)) found.push({ session, what: 'changed' });
  return found;
}
