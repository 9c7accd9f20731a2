import { randomBytes } from 'node:crypto';
import type { RunState } from '../src/core/index.js';
import { newSessionId } from '../sessions/index.js';
import { composeAgent } from './compose-agent.js';
import { effectiveFlags } from './effective.js';
import { firstText } from './first-text.js';
import type { Io } from './io.js';
import { modeOf } from './mode.js';
import { inNewSession, unsavedNotices } from './new-session.js';
import type { RunFlags } from './options.js';
import { runSession } from './run-session.js';

/** `hitl chat`: a new session. */
export async function chat(io: Io, [words]: readonly unknown[], given: RunFlags): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const prompt = await firstText(io, flags, words);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const { fingerprint, model, tools, notices } = await composeAgent(io, flags, mode, {
    id,
    config,
  });
  const said = [...notices, ...unsavedNotices(flags)];
  const first = prompt === undefined ? {} : { prompt };
  const made = { id, agent: fingerprint, hasBegun: (state: RunState) => state.turns > 0 };
  return inNewSession(io, flags, made, (store, session) =>
    runSession(io, flags, { store, session, model, tools, mode, notices: said, ...first }),
  );
}
