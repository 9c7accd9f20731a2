import { timesOf } from '../../../src/core/index.js';
import { transcriptText } from '../../../src/render/rich.js';
import { eventsOf } from '../../../src/repl/index.js';
import { standingLines } from '../../report/index.js';
import { stderrTheme } from '../../screen/index.js';
import type { SlashHandler } from '../context.js';

/** `/show`: the transcript so far. */
export const show: SlashHandler = async (_argument, { io, flags, session }, print) => {
  const look = { theme: stderrTheme(io, flags.color), columns: io.stderr.columns };
  const events = await eventsOf(session);
  print(transcriptText(session.state, look, { standings: standingLines(events), times: timesOf(events) }));
};
