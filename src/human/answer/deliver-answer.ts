import type {
  Answer,
  Posted,
  ResolvedInterrupt,
  Session,
  SessionId,
  SessionStore,
  Vote,
} from '../../core/index.js';

/**
 * How an answer reached its session. `recorded`: written to the journal. `taken` or `refused`: used or
 * refused by the process that has the session open. `left`: queued for that process, which has not confirmed
 * it yet. `voted`: counted as one of several required votes.
 */
export type Delivered =
  | { readonly type: 'recorded' | 'taken' | 'left'; readonly posted: Posted }
  | { readonly type: 'voted'; readonly posted: Posted; readonly votes: readonly Vote[] }
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** Options for delivering an answer. */
export interface DeliverOptions {
  /** Creates a signal that limits the wait for other senders and for the session's process. */
  readonly patience: () => AbortSignal;
  /** Idempotency key: a repeated answer is ignored. */
  readonly receipt?: string;
  /** The session, if the caller has it open for writing. */
  readonly held?: Session | undefined;
}

/**
 * Posts an answer from outside the session's process. If a process has the session open, waits briefly for it
 * to use the answer.
 * @throws HitlError the errors that `SessionStore.post` throws.
 */
export async function deliverAnswer(
  store: SessionStore,
  id: SessionId,
  answer: Answer,
  { patience: begin, receipt, held }: DeliverOptions,
): Promise<Delivered> {
  const posted = await store.post(id, answer, {
    signal: begin(),
    ...(receipt !== undefined && { receipt }),
    ...(held !== undefined && { held }),
  });
  if (posted.type === 'recorded') return { type: 'recorded', posted };
  const patience = begin();
  try {
    const fate = await store.fate(posted, patience);
    if (fate.type === 'refused') return fate;
    return fate.type === 'used' ? { type: 'taken', posted } : { type: 'voted', posted, votes: fate.votes };
  } catch (thrown) {
    if (!patience.aborted) throw thrown;
    return { type: 'left', posted };
  }
}
