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
 * The way of an answer into its session: into the journal itself; to whoever has the session, who used it or did not; or
 * left for them, who have not said yet. `voted`: it is one of the votes that stand, and more are needed.
 */
export type Delivered =
  | { readonly type: 'recorded' | 'taken' | 'left'; readonly posted: Posted }
  | { readonly type: 'voted'; readonly posted: Posted; readonly votes: readonly Vote[] }
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** The settings with which an answer is delivered. */
export interface DeliverOptions {
  /** Makes a signal that ends waiting: for others who post, and for the process that has the session. */
  readonly patience: () => AbortSignal;
  /** Names the answer: posted again under the same name, it counts once. */
  readonly receipt?: string;
  /** The session, where the caller has it open for writing. */
  readonly held?: Session | undefined;
}

/**
 * Posts an answer from elsewhere; where somebody has the session, waits a little for whether it is used.
 * @throws HitlError what `SessionStore.post` throws.
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
