import type { SessionId, SessionStore, StoredEvent } from '../../core/index.js';
import { HitlError, present } from '../../core/index.js';
import { eventsOf } from '../record.js';
import { goingBack } from './going-back.js';

export interface ForkOptions {
  /**
   * The last record that the new session has of the old one, or the place of a workflow before which it ends: `review@2`,
   * `healthy#2`. Default: the last record there is.
   */
  readonly at?: number | string;
  /** Names the new session. Default: a new, sortable id. */
  readonly id?: SessionId;
}

/** A session with the past of another one. */
export interface Fork {
  readonly id: SessionId;
  /** The last record that it has of the old session. */
  readonly seq: number;
  /** The records of the old session behind that one: what was done in them stays done. */
  readonly rest: readonly StoredEvent[];
}

/**
 * Makes a session with the past of another one, which stays as it is. Approvals were given once, for the session that
 * they were given in: what waits is asked again.
 * @throws HitlError BAD_INPUT for a record or a place that is not there, and what `create` and `open` throw.
 */
export async function forkSession(
  store: SessionStore,
  from: SessionId,
  { at, id }: ForkOptions = {},
): Promise<Fork> {
  const { past, rest, agent, cwd, title, by } = await pastOf(store, from, at);
  const seq = past.at(-1)?.seq ?? 0;
  await using session = await store.create({
    agent,
    parent: {
      kind: 'fork',
      session: from,
      seq,
      ...(past.some(({ foreign }) => foreign === true) && { foreign: true }),
    },
    title,
    ...present({ id, cwd, by }), // what is asked again was asked for by the same person
    events: [
      ...past.map(({ event }) => event),
      { type: 'approvals-voided' },
      { type: 'agent-changed', agent },
    ],
  });
  await session.saveTranscript?.();
  return { id: session.id, seq, rest };
}

/** The events that a fork takes over, those that it leaves out, and what it begins with. */
async function pastOf(store: SessionStore, from: SessionId, at: number | string | undefined) {
  await using session = await store.open(from, 'read');
  const { agent, cwd } = session.state;
  const title = `fork of ${session.state.title?.replace(/^fork of /u, '') ?? from}`;
  if (agent === undefined) throw new HitlError('BAD_INPUT', `session ${from} has not started`);
  const all = await eventsOf(session);
  const lastSeq = all.at(-1)?.seq ?? 0;
  const until = typeof at === 'string' ? (await goingBack(session, at)).seq - 1 : (at ?? lastSeq);
  if (!Number.isSafeInteger(until) || until > lastSeq || until < 1) {
    throw new HitlError('BAD_INPUT', `session ${from} has events 1 to ${lastSeq}, not ${until}`, {
      hint: `hitl show ${from} --events`,
    });
  }
  const isOwn = ({ event }: StoredEvent): boolean =>
    event.type === 'session-created' || event.type === 'session-opened';
  return {
    past: all.filter((stored) => stored.seq <= until && !isOwn(stored)),
    rest: all.filter(({ seq }) => seq > until),
    agent,
    title,
    by: all.flatMap(({ event }) => (event.type === 'session-created' ? [event.by] : [])).at(0),
    ...(cwd !== undefined && { cwd }),
  };
}
