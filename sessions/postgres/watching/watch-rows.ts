import type { Clock, SessionId, SessionSummary, StoreChange } from '../../../src/core/index.js';
import { isHitlError, isoTime, isSessionId, timeOf } from '../../../src/core/index.js';
import { changeOf, changesBetween } from '../../listing/index.js';
import type { Ear } from './bell.js';

// Invariants:
// C1 A look reads what was written since the last one, what was named, and what was being written: the end of a lease
//    changes no row's moment. It reads a little of what it saw before: clocks of machines differ, and a batch may be
//    written some time after it was made.
// C2 A full look finds what no other found: machines whose clocks are far behind, copies, and what went unheard. It
//    reads in the order of ids, which do not move.
// C3 What could not be read is not forgotten: the next look is a full one.

/** The longest time between two looks. */
const POLL_MS = 1000;
/** The shortest one: what is told meanwhile is one look. */
const REST_MS = 50;
/** The time between two full looks, where nothing asks for one. */
const FULL_MS = 60_000;
/** The time of which a look reads again what was seen. */
const AGAIN_MS = 30_000;

/** The part of a session that says what happened in it. */
export type SeenSession = Pick<SessionSummary, 'id' | 'waiting' | 'status' | 'updatedAt'>;

/** The rows of sessions, as far as a watch reads them. */
export interface SessionRows {
  all(): AsyncIterable<SeenSession>;
  /** Those that changed at that moment or later, and those with these ids. */
  since(at: string, ids: readonly SessionId[]): Promise<readonly SeenSession[]>;
}

/** Tells what happens to the sessions of a database from now on, until the signal aborts. */
export async function* watchRows(
  rows: SessionRows,
  ear: Ear,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<StoreChange> {
  const seen = new Seen(rows, clock);
  await ear.ready(); // what is told while it looks for the first time is heard
  await seen.all();
  let looked = clock.now();
  let isDue = false;
  for (;;) {
    await ear.rung(clock, POLL_MS - REST_MS, signal);
    await clock.sleep(REST_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const { notices, isWhole } = ear.taken();
    const isFull = isDue || !isWhole || clock.now() - looked >= FULL_MS;
    let changes: readonly StoreChange[] = [];
    try {
      changes = isFull ? await seen.all() : await seen.since(notices.filter(isSessionId));
      if (isFull) looked = clock.now();
      isDue = false;
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      isDue = true; // C3
    }
    yield* changes;
  }
}

/** The sessions as they were seen last. */
class Seen {
  readonly #rows: SessionRows;
  readonly #clock: Clock;
  #sessions = new Map<SessionId, SeenSession>();
  readonly #running = new Set<SessionId>();
  #newest = -Infinity;

  constructor(rows: SessionRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Looks at all of them (C2). @returns what happened since the last look */
  async all(): Promise<readonly StoreChange[]> {
    const now = new Map<SessionId, SeenSession>();
    for await (const session of this.#rows.all()) now.set(session.id, session);
    const changes = [...changesBetween(this.#sessions, now)];
    this.#sessions = now;
    this.#running.clear();
    for (const session of now.values()) this.#note(session);
    return changes;
  }

  /** Looks at what changed since the last look, and at those that are named (C1). */
  async since(named: readonly SessionId[]): Promise<readonly StoreChange[]> {
    const asked = new Set([...named, ...this.#running]);
    const changes: StoreChange[] = [];
    for (const session of await this.#rows.since(this.#mark(), [...asked])) {
      asked.delete(session.id);
      const what = changeOf(this.#sessions.get(session.id), session);
      if (what !== undefined) changes.push({ session: session.id, what });
      this.#sessions.set(session.id, session);
      this.#note(session);
    }
    for (const session of asked) {
      this.#running.delete(session);
      if (this.#sessions.delete(session)) changes.push({ session, what: 'removed' });
    }
    return changes;
  }

  /** The moment from which on rows are read: a clock that is ahead, theirs or ours, moves it by nothing. */
  #mark(): string {
    const at = Math.min(this.#newest, this.#clock.now()) - AGAIN_MS;
    return Number.isFinite(at) ? isoTime(at) : '';
  }

  #note({ id, status, updatedAt }: SeenSession): void {
    if (status === 'running') this.#running.add(id);
    else this.#running.delete(id);
    const at = timeOf(updatedAt);
    if (at > this.#newest) this.#newest = at;
  }
}
