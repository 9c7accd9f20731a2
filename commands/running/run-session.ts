import { openInterrupts } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { isOfSignal } from '../host/index.js';
import { closing } from './closing.js';
import { notify } from './notify.js';
import { play } from './play.js';
import type { SessionRun } from './session-run.js';
import { openStage } from './stage.js';
import { traced } from '../telemetry/traced.js';

/**
 * Runs the conversation or workflow of an open session until it stops, and returns the exit status. The
 * caller must dispose of the session.
 */
export async function runSession(io: Io, flags: RunFlags, given: SessionRun): Promise<number> {
  if (!hasCollector(io)) return await runStaged(io, flags, given);
  return await traced(io, flags, given.session, () => runStaged(io, flags, given));
}

async function runStaged(io: Io, flags: RunFlags, given: SessionRun): Promise<number> {
  const { session, mode } = given;
  const known = new Set(openInterrupts(session.state).map(({ id }) => id));
  using stage = await openStage(io, flags, given);
  const played = await play(io, flags, given, stage);
  const status = await closing(io, given, stage, played);
  const { notify: command = [] } = flags;
  if (!mode.interactive && command.length > 0) await notify(io, { command, session, known });
  // Nobody hears what a run says where nobody sits: whoever began it tells of it.
  if (flags.isAlone === true && played.type === 'failed' && !isOfSignal(status)) throw played.thrown;
  return status;
}

/**
 * Whether the environment configures an OpenTelemetry collector. Without one, telemetry code is not loaded.
 */
export function hasCollector({ env }: Pick<Io, 'env'>): boolean {
  return Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_(?:TRACES_)?ENDPOINT$/u.test(name));
}
