import { openInterrupts } from '../../src/core/index.js';
import type { RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import { closing } from './closing.js';
import { notify } from './notify.js';
import { play } from './play.js';
import type { SessionRun } from './session-run.js';
import { openStage } from './stage.js';

/** Converses in an open session until it rests, and returns the exit status. The caller disposes of the session. */
export async function runSession(io: Io, flags: RunFlags, given: SessionRun): Promise<number> {
  const { session, mode } = given;
  const known = new Set(openInterrupts(session.state).map(({ id }) => id));
  using stage = await openStage(io, flags, given);
  const played = await play(io, flags, given, stage);
  const status = await closing(io, given, stage, played);
  const { notify: command = [] } = flags;
  if (!mode.interactive && command.length > 0) await notify(io, { command, session, known });
  return status;
}
