import type { RunState, SessionId, SessionStore, SessionSummary } from '../src/core/index.js';
import { checkSessionId, isHitlError, isoTime, openInterrupts } from '../src/core/index.js';

// Invariants:
// R1 Nothing goes that somebody is asked in, in which something may have been done that nobody was told of, that waits
//    for a moment or a message, or that is being written.
// R2 What goes is as it was looked at: whoever wrote it meanwhile keeps it.
// R3 Each session goes by itself, whole or not at all: a run that is cut short is run again.

/** The sessions to prune. */
export interface PruneOptions {
  /** Milliseconds since 1970: sessions changed at that time or later are ignored. */
  readonly before: number;
  /** Also keeps unfinished sessions without open questions and doubts. Default: false. */
  readonly keepOpen?: boolean;
  /** Only reports. Default: false. */
  readonly isDry?: boolean;
  /** Removes copies kept elsewhere, before the session is removed. */
  readonly forget?: (id: SessionId) => Promise<unknown>;
}

/** Why an old session is kept. */
export type KeptWhy = 'asked' | 'in-doubt' | 'in-use' | 'timed' | 'mail' | 'open' | 'unreadable' | 'changed';

/** The result for one old session. `old`: a real run would remove it. */
export type Pruned =
  | { readonly session: SessionSummary; readonly result: 'removed' | 'old' }
  | { readonly session: SessionSummary; readonly result: 'kept'; readonly why: KeptWhy };

/** Sessions processed at once, each on its own. */
const AT_ONCE = 8;

/** Removes old sessions and returns the outcome for each, newest first. */
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

/** Failures that concern one session only. */
const KEPT: Readonly<Record<string, KeptWhy>> = {
  SESSION_LOCKED: 'in-use',
  VERSION_CONFLICT: 'changed',
  SESSION_NOT_FOUND: 'changed',
  SESSION_DAMAGED: 'unreadable',
  SESSION_NEWER: 'unreadable',
  SESSION_UNSAFE: 'unreadable',
};

/** Returns why a session is kept; `undefined` if it may be deleted. */
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

/** Whether a call or node started and has not ended. A running node counts, whatever runs inside it. */
function hasBegun({ open, graph }: RunState): boolean {
  if (open?.calls.some(({ state: { status } }) => status === 'started') === true) return true;
  const status = graph?.current?.status;
  return status === 'started' || status === 'waiting' || status === 'answered';
}
