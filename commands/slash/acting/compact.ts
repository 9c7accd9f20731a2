import { compactionEnd, errorFrom, escapeText, shown } from '../../../src/core/index.js';
import { compactNow } from '../../../src/engine/index.js';
import { record } from '../../../src/repl/index.js';
import { roomOf } from '../../agent/index.js';
import type { SlashHandler } from '../context.js';

/** The time that a summary may take. */
const SUMMARY_MS = 5 * 60_000;

/** `/compact`: sums up what was said so far for the model; all of it stays in the journal. */
export const compact: SlashHandler = async (_argument, context, print) => {
  const { io, flags, session, model, tools, renderer, mode } = context;
  if (compactionEnd(session.state, 0) === undefined) {
    print(shown`there is nothing to sum up yet`);
    return;
  }
  const before = session.state.compacted;
  const options = { model, tools, clock: io.clock, runId: session.id, room: () => roomOf(flags, model) };
  const run = compactNow(session.state, options, AbortSignal.timeout(SUMMARY_MS));
  const outcome = await record(run, session, renderer);
  renderer.pause();
  const error =
    outcome.type === 'ended' && outcome.reason.type === 'failed' ? outcome.reason.error : undefined;
  if (error !== undefined && !mode.interactive) throw errorFrom(error);
  if (error !== undefined) print(shown`not compacted: ${escapeText(error.message)}`);
  else if (session.state.compacted === before) print(shown`the model gave no summary; nothing has changed`);
};
