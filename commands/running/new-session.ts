import type { AgentFingerprint, RunState, Session, SessionId } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/index.js';
import type { AnyStore } from '../store/index.js';
import { storeFor } from '../store/index.js';

/** A session that is to be made. */
export interface NewSession {
  readonly id: SessionId;
  readonly agent: AgentFingerprint;
  readonly title?: string;
  /** False for a session in which nothing happened: it is not kept. */
  readonly hasBegun: (state: RunState) => boolean;
}

/** Makes a session where the flags say, works in it, and returns what the work returns. */
export async function inNewSession(
  io: Io,
  flags: RunFlags,
  { id, agent, title, hasBegun }: NewSession,
  work: (store: AnyStore, session: Session) => Promise<number>,
): Promise<number> {
  const store = storeFor(io, flags);
  const session = await store.create({ id, agent, cwd: io.cwd, ...(title !== undefined && { title }) });
  try {
    const status = await heldFor(session, (held) => work(store, held));
    if (!hasBegun(session.state)) await store.remove(id);
    return status;
  } catch (thrown) {
    if (!hasBegun(session.state)) await store.remove(id).catch(() => undefined); // the first error is the one to tell
    throw thrown;
  }
}

async function heldFor(session: Session, work: (held: Session) => Promise<number>): Promise<number> {
  await using held = session;
  return await work(held);
}
