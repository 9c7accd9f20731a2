import { randomBytes } from 'node:crypto';
import type { Session } from '../src/core/index.js';
import { newSessionId } from '../sessions/index.js';
import { composeAgent } from './compose-agent.js';
import { effectiveFlags } from './effective.js';
import { firstText } from './first-text.js';
import type { Io } from './io.js';
import { modeOf } from './mode.js';
import type { RunFlags } from './options.js';
import { runSession } from './run-session.js';
import { storeFor } from './store.js';

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
  const store = storeFor(io, flags);
  const unsaved = flags.save ? [] : ['nothing of this session is kept on disk (--no-save)'];
  const said = [...notices, ...unsaved];
  const session = await store.create({ id, agent: fingerprint, cwd: io.cwd });
  const status = await converse(session);
  // A session in which nothing was said is not kept.
  if (session.state.turns === 0) await store.remove(id);
  return status;

  async function converse(open: Session): Promise<number> {
    await using held = open;
    const first = prompt === undefined ? {} : { prompt };
    return await runSession(io, flags, { store, session: held, model, tools, mode, notices: said, ...first });
  }
}
