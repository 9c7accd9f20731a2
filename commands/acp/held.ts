import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Session, SessionId, SessionStore } from '../../src/core/index.js';
import { agentChange, HitlError, present } from '../../src/core/index.js';
import { newSessionId } from '../../sessions/index.js';
import type { Agent } from '../agent/agent.js';
import { composeAgent } from '../agent/agent.js';
import { effectiveFlags } from '../config/effective.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { inNewSession } from '../running/new-session.js';
import { stillRunningLines } from '../running/still-running.js';
import { openStore } from '../store/store.js';

/** A session that an editor has open. */
export interface Held {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly store: SessionStore;
  readonly session: Session;
  readonly agent: Agent;
  /** Notices to show the user first. */
  readonly notices: readonly string[];
}

/** Mode for sessions in an editor: there is no user at a terminal, and stdout is used for the protocol. */
export const MODE: Mode = { interactive: false, format: 'text', quiet: false, verbose: false };

/**
 * Returns the folder that an editor specifies, with links resolved.
 * @throws HitlError BAD_INPUT for a folder that does not exist, or a relative path.
 */
export function folderOf(given: string): string {
  if (!isAbsolute(given) || given.includes('\0'))
    throw new HitlError('BAD_INPUT', 'the working directory must be an absolute path');
  const found = statSync(given, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true)
    throw new HitlError('BAD_INPUT', `no such folder: ${given}`, { hint: 'open a folder that exists' });
  return realpathSync(given);
}

/**
 * Creates a session in a folder, and keeps it open until `work` ends. A session without messages is deleted.
 */
export async function inNew(io: Io, given: RunFlags, work: (held: Held) => Promise<void>): Promise<void> {
  const { flags, config } = await effectiveFlags(io, given, MODE);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const store = openStore(io, flags);
  await using agent = await composeAgent(io, flags, MODE, { id, config, store });
  const made = { id, agent: agent.fingerprint, hasBegun: ({ turns }: Session['state']) => turns > 0 };
  await inNewSession(io, store, made, async (session) => {
    await work({ io, flags, store, session, agent, notices: [...agent.notices, ...session.notices] });
    return 0;
  });
}

/**
 * Opens a session of this folder, and keeps it open until `work` ends.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED; USAGE for a session of another folder, or one that
 * runs a workflow.
 */
export async function inOld(
  io: Io,
  given: RunFlags,
  id: SessionId,
  work: (held: Held) => Promise<void>,
): Promise<void> {
  const store = openStore(io, given);
  const { flags, config } = await effectiveFlags(io, given, MODE);
  await using session = await store.open(id, 'write');
  const { agent: saved, cwd, graph } = session.state;
  if (cwd !== io.cwd)
    throw new HitlError('USAGE', `session ${id} does not belong to this folder`, {
      hint: cwd === undefined ? `hitl resume ${id}` : `open ${cwd} in the editor`,
    });
  if (saved?.flow !== undefined || graph !== undefined)
    throw new HitlError('USAGE', `session ${id} runs a workflow`, { hint: `hitl resume ${id}` });
  await using agent = await composeAgent(io, flags, MODE, {
    ...{ id, config, store, began: cwd },
    ...present({ saved }),
  });
  session.beginWith(agentChange(session.state, agent.fingerprint));
  const notices = [...agent.notices, ...session.notices, ...(await stillRunningLines(session))];
  await work({ io, flags, store, session, agent, notices });
}
