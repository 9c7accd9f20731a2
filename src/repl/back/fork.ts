import type { SessionId, SessionStore, StoredEvent } from '../../core/index.js';
import { HitlError, present } from '../../core/index.js';
import { eventsOf } from '../record.js';
import { goingBack } from './going-back.js';

export interface ForkOptions {
  /**
   * Last event to copy from the original session, or the workflow position before which the fork ends:
   * `review@2`, `healthy#2`. Default: the last event.
   */
  readonly at?: number | string;
  /** ID of the new session. Default: a new, sortable ID. */
  readonly id?: SessionId;
}

/** A session created from another session's history. */
export interface Fork {
  readonly id: SessionId;
  /** Last event copied from the original session. */
  readonly seq: number;
  /** Later events of the original session. Their effects are not undone. */
  readonly rest: readonly StoredEvent[];
}

/**
 * Creates a session from another session's history. The original is unchanged. Approvals are bound to their
 * session, so open calls must be approved again.
 * @throws HitlError BAD_INPUT for an unknown event or position, and any error of `create` and `open`.
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

/**
 * Returns the events to copy to a fork, the events to leave out, and the properties to take from the original
 * session.
 */
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
