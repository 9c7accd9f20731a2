import type {
  ErrorRecord,
  JsonValue,
  ResultStatus,
  RunState,
  Session,
  Unfinished,
} from '../../src/core/index.js';
import { openInterrupts, present, transcriptMessages, unfinishedOf } from '../../src/core/index.js';
import type { ReplEnd } from '../../src/repl/index.js';
import { resultOf } from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import { printJson } from '../host/index.js';

/** Returns the reason that the last reply in a session is incomplete, or `undefined` if it is complete. */
export function unfinishedIn({ entries, ended }: RunState): Unfinished | undefined {
  const end = ended?.type === 'done' ? entries.at(-1)?.end : undefined;
  return end === undefined ? undefined : unfinishedOf(end);
}

/**
 * Writes the `--json` object or the last line of `stream-json`. In text mode, writes only the value of a
 * reply that has a schema.
 */
export function writeResult(
  io: Io,
  mode: Mode,
  session: Session,
  how: { readonly end?: ReplEnd; readonly error?: ErrorRecord; readonly output?: JsonValue },
): void {
  const { error, output } = how;
  if (mode.format === 'text') {
    if (output !== undefined) printJson(io, output, 'line');
    return;
  }
  const status = statusText(session, how);
  const messages = transcriptMessages(session.state);
  const result = resultOf({
    session: session.id,
    state: session.state,
    status,
    messages,
    ...present({ error, output }),
  });
  printJson(io, mode.format === 'json' ? result : { type: 'result', ...result }, 'line');
}

function statusText(
  { state }: Session,
  { end, error }: { readonly end?: ReplEnd; readonly error?: ErrorRecord },
): ResultStatus {
  const open = openInterrupts(state);
  if (open.some(({ kind }) => kind === 'limit')) return 'limit';
  if (error !== undefined && open.length === 0) return 'failed';
  if (open.length > 0) return 'interrupted';
  const reason = end?.rest?.type === 'ended' ? end.rest.reason.type : state.ended?.type;
  if (reason === 'limit' || reason === 'failed') return reason;
  if (reason !== 'aborted') return unfinishedIn(state) ?? 'done';
  return state.ended === undefined ? 'interrupted' : 'cancelled'; // stopped with the program, or by a person
}
