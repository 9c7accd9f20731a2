import type { RunState, MessageMetrics } from '../../src/core/index.js';
import type { MessageBoard } from './message-board.js';

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
