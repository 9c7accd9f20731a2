import type { Clock, SessionId, SessionSummary, StoreChange } from '../../src/core/index.js';

/** Interval at which the list is polled, in milliseconds. */
const POLL_MS = 1000;

/** Yields changes to the listed sessions until the signal aborts. */
export async function* watchSessions(
  look: () => readonly SessionSummary[] | Promise<readonly SessionSummary[]>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<StoreChange> {
  let before = byId(await look());
  while (await isOver(clock.sleep(POLL_MS, signal))) {
    const now = byId(await look());
    yield* changesBetween(before, now);
    before = now;
  }
}

/** Whether the wait ended without being aborted. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  try {
    await wait;
    return true;
  } catch {
    return false;
  }
}

function byId(sessions: readonly SessionSummary[]): ReadonlyMap<SessionId, SessionSummary> {
  return new Map(sessions.map((session) => [session.id, session]));
}

/** The session properties that are compared to detect changes. */
type Seen = Pick<SessionSummary, 'waiting' | 'status' | 'updatedAt' | 'unread'>;

/** Yields the changes to sessions between two checks. */
export function* changesBetween(
  before: ReadonlyMap<SessionId, Seen>,
  now: ReadonlyMap<SessionId, Seen>,
): Generator<StoreChange> {
  for (const [session, summary] of now) {
    const what = changeOf(before.get(session), summary);
    if (what !== undefined) yield { session, what };
  }
  for (const session of before.keys()) if (!now.has(session)) yield { session, what: 'removed' };
}

/** Returns the change to a session between two checks; `undefined` if there is none. */
function changeOf(before: Seen | undefined, now: Seen): StoreChange['what'] | undefined {
  if (before === undefined) return now.waiting > 0 ? 'raised' : 'created';
  if (now.waiting > before.waiting) return 'raised';
  if (now.waiting < before.waiting || (now.unread === true && before.unread !== true)) return 'answered';
  const isAtRest = now.status === 'done' || now.status === 'failed';
  if (now.status !== before.status && isAtRest) return 'ended';
  return now.updatedAt === before.updatedAt && now.status === before.status ? undefined : 'changed';
}
