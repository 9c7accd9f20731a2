import type { RunState } from '../../src/core/index.js';
import type { MessageBoard } from './message-board.js';

/** How a queue was used so far. */
export interface MessageMetrics {
  /** Messages that were accepted: delivered, dropped, expired, or still there. */
  readonly queued: number;
  readonly delivered: number;
  /** Withdrawn by a person, or put out by a message of higher priority. */
  readonly dropped: number;
  readonly expired: number;
  /** Not accepted: the queue was full. */
  readonly rejected: number;
  /** Delivered, and the run could not do it. */
  readonly refused: number;
  readonly pauses: number;
  readonly resumes: number;
  readonly cancels: number;
  readonly depth: number;
  readonly maxDepth: number;
  /** How long people kept the session waiting for answers, in milliseconds: all of them, and the last one. */
  readonly waitMs: { readonly total: number; readonly last: number };
  /** ISO 8601: when the first was sent; absent before. */
  readonly createdAt?: string;
  /** ISO 8601: when something was last sent, delivered or dropped. Looking at the queue is no activity. */
  readonly lastActivityAt?: string;
}

/** The metrics as a copy. `now` in milliseconds since 1970. */
export function metricsOf(board: MessageBoard, state: RunState, now: number): MessageMetrics {
  const { queued, removed, rejected, pauses, resumes, cancels, maxDepth, createdAt, lastAt } = board.counts;
  const { inbox } = state;
  const last = [lastAt, inbox?.lastAt ?? ''].sort().at(-1) ?? '';
  return {
    queued,
    delivered: inbox?.delivered ?? 0,
    dropped: removed,
    expired: (inbox?.expired ?? 0) + board.expired(now).length,
    rejected,
    refused: inbox?.refused ?? 0,
    pauses,
    resumes,
    cancels,
    depth: board.depth(now),
    maxDepth,
    waitMs: waits(state),
    ...(createdAt !== '' && { createdAt }),
    ...(last !== '' && { lastActivityAt: last }),
  };
}

function waits({ resolved }: RunState): { readonly total: number; readonly last: number } {
  let total = 0;
  let last = 0;
  for (const { interrupt, resolvedAt } of resolved) {
    if (resolvedAt === undefined) continue;
    const waited = Date.parse(resolvedAt) - Date.parse(interrupt.raisedAt);
    last = Number.isNaN(waited) ? 0 : Math.max(waited, 0); // clocks are labels (G25)
    total += last;
  }
  return { total, last };
}
