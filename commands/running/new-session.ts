import type { AgentFingerprint, RunState, Session, SessionId, SessionStore } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { requesterHere } from '../host/index.js';

/** Options for creating a session. */
export interface NewSession {
  readonly id: SessionId;
  readonly agent: AgentFingerprint;
  readonly title?: string;
  /** Whether anything has happened in the session. If nothing has, the session is not saved. */
  readonly hasBegun: (state: RunState) => boolean;
}

/** Creates a session, runs the work in it, and returns its result. */
export async function inNewSession(
  io: Io,
  store: SessionStore,
  { id, agent, title, hasBegun }: NewSession,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  const session = await store.create({
    id,
    agent,
    cwd: io.cwd,
    by: requesterHere(),
    ...(title !== undefined && { title }),
  });
  try {
    const status = await heldFor(session, (held) => work(held));
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
