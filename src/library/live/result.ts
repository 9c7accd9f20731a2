import type { RunResult, RunState } from '../../core/index.js';
import { errorFrom, HitlError, isHitlError, isSuspension, openInterrupts, textOf } from '../../core/index.js';
import type { Rest } from '../../repl/index.js';

/**
 * Converts the outcome of a session's run to a result.
 * @throws HitlError ABORTED if the run was stopped, SESSION_CLOSED if the session was closed during the run,
 * and any error with which the run failed.
 */
export function resultOf(rest: Rest, state: RunState, signal: AbortSignal): RunResult {
  const text = latestText(state);
  if (signal.aborted && !isDone(rest)) throw stopped(signal);
  if (rest.type === 'waiting') return { type: 'waiting', text, open: openInterrupts(state) };
  const { reason, error } = rest;
  switch (reason.type) {
    case 'done':
      return { type: 'done', text };
    case 'finished':
      return { ...reason, text };
    case 'limit':
      return { type: 'limit', text, limit: reason.limit };
    case 'failed':
      throw isHitlError(error) ? error : errorFrom(reason.error, error);
    case 'aborted':
      throw new HitlError('ABORTED', 'the run was stopped', {
        hint: 'finished work is saved; a chat continues with the next message',
      });
  }
}

/** Whether the run ended on its own instead of being stopped. */
function isDone(rest: Rest): boolean {
  return rest.type === 'ended' && rest.reason.type !== 'aborted';
}

/** Returns the error for a run that was stopped. */
export function stopped({ reason }: AbortSignal): HitlError {
  const cause: unknown = reason;
  if (isHitlError(cause)) return cause;
  if (isSuspension(cause))
    return new HitlError('SESSION_CLOSED', 'the session was closed while it ran', {
      hint: '`await` the results of `say`, `answer` and `resume` before closing; after `await using`, write `return await`',
      cause,
    });
  return new HitlError('ABORTED', 'the run was stopped; completed work is saved', { cause });
}

/** Returns the latest text from the model since the last user message. Empty if there is none yet. */
export function latestText({ open, entries }: RunState): string {
  if (open !== undefined && textOf(open.message) !== '') return textOf(open.message);
  const last = entries.findLast(
    ({ message }) => message.role === 'user' || (message.role === 'model' && textOf(message) !== ''),
  );
  return last?.message.role === 'model' ? textOf(last.message) : '';
}
