import type { RunState, SessionId, SessionStore, SessionSummary } from '../src/core/index.js';
import { checkSessionId, isHitlError, isoTime, openInterrupts } from '../src/core/index.js';

// Invariants:
// R1 Nothing goes that somebody is asked in, in which something may have been done that nobody was told of, that waits
//    for a moment or a message, or that is being written.
// R2 What goes is as it was looked at: whoever wrote it meanwhile keeps it.
// R3 Each session goes by itself, whole or not at all: a run that is cut short is run again.

/** Options that determine which sessions are pruned. */
export interface PruneOptions {
  /** Milliseconds since 1970. Sessions changed at that time or later are ignored. */
  readonly before: number;
  /**
   * Whether to keep unfinished sessions even if they have no open questions and no calls in doubt. Default:
   * false.
   */
  readonly keepOpen?: boolean;
  /** Whether to only report the sessions, without removing them. Default: false. */
  readonly isDry?: boolean;
  /** Removes data about the session that is stored elsewhere. Called before the session is removed. */
  readonly forget?: (id: SessionId) => Promise<unknown>;
}

/** The reason that an old session is kept. */
export type KeptWhy = 'asked' | 'in-doubt' | 'in-use' | 'timed' | 'mail' | 'open' | 'unreadable' | 'changed';

/** The result for an old session. `old`: it was not removed, because this was a dry run. */
export type Pruned =
  | { readonly session: SessionSummary; readonly result: 'removed' | 'old' }
  | { readonly session: SessionSummary; readonly result: 'kept'; readonly why: KeptWhy };

/** Number of sessions to process concurrently. */
const AT_ONCE = 8;

/** Removes old sessions and yields the result for each, newest first. */
export async function* pruneSessions(store: SessionStore, options: PruneOptions): AsyncGenerator<Pruned> {
  const before = { updatedAt: isoTime(options.before), id: checkSessionId('0') }; // no id is smaller
  let together: Promise<Pruned>[] = [];
  for await (const session of store.list({ before })) {
    together.push(pruned(store, session, options));
    if (together.length < AT_ONCE) continue;
    yield* await Promise.all(together);
    together = [];
  }
  yield* await Promise.all(together);
}

async function pruned(store: SessionStore, session: SessionSummary, options: PruneOptions): Promise<Pruned> {
  const { id, updatedAt } = session;
  try {
    const why = await reasonToKeep(store, session, options);
    if (why !== undefined) return { session, result: 'kept', why };
    if (options.isDry === true) return { session, result: 'old' };
    await options.forget?.(id);
    await store.remove(id, { unchangedSince: updatedAt }); // R2
    return { session, result: 'removed' };
  } catch (thrown) {
    const why = isHitlError(thrown) ? KEPT[thrown.code] : undefined;
    if (why === undefined) throw thrown;
    return { session, result: 'kept', why };
  }
}

/** Errors that affect only one session, each with the reason for keeping that session. */
const KEPT: Readonly<Record<string, KeptWhy>> = {
  SESSION_LOCKED: 'in-use',
  VERSION_CONFLICT: 'changed',
  SESSION_NOT_FOUND: 'changed',
  SESSION_DAMAGED: 'unreadable',
  SESSION_NEWER: 'unreadable',
  SESSION_UNSAFE: 'unreadable',
};

/** Returns the reason that a session must be kept; `undefined` if it may be removed. */
async function reasonToKeep(
  store: SessionStore,
  { id, status, waiting, until }: SessionSummary,
  { keepOpen = false }: PruneOptions,
): Promise<KeptWhy | undefined> {
  if (status === 'unreadable') return 'unreadable';
  if (status === 'running') return 'in-use';
  if (waiting > 0) return 'asked';
  if (until !== undefined) return 'timed';
  if (keepOpen && status === 'interrupted') return 'open';
  // What is done has settled everything; in all else something may have begun.
  if (status !== 'done') {
    await using session = await store.open(id, 'read');
    if (session.notices.length > 0) return 'unreadable';
    if (openInterrupts(session.state).length > 0) return 'asked';
    if (hasBegun(session.state)) return 'in-doubt';
  }
  const { total } = await store.mail(id).list({ pageSize: 1 });
  return total > 0 ? 'mail' : undefined;
}

/**
 * Whether a call or node has started but not ended. A running node is treated as started, regardless of what
 * runs inside it.
 */
function hasBegun({ open, graph }: RunState): boolean {
  if (open?.calls.some(({ state: { status } }) => status === 'started') === true) return true;
  const status = graph?.current?.status;
  return status === 'started' || status === 'waiting' || status === 'answered';
}
