import { randomBytes } from 'node:crypto';
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
  const { flags, loaded } = await effectiveFlags(io, given);
  const mode = modeOf(io, flags);
  const prompt = await firstText(io, flags, words);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const { fingerprint, model, tools, notices } = await composeAgent(io, flags, mode, {
    id,
    config: loaded.config,
  });
  const store = storeFor(io, flags);
  await using session = await store.create({ id, agent: fingerprint, cwd: io.cwd });
  const unsaved = flags.save ? [] : ['nothing of this session is kept on disk (--no-save)'];
  const said = [...notices, ...unsaved];
  return await runSession(io, flags, {
    store,
    session,
    model,
    tools,
    mode,
    notices: said,
    ...(prompt !== undefined && { prompt }),
  });
}
