import os from 'node:os';

import type {
  Clock,
  EventTail,
  RemoveOptions,
  Session,
  SessionId,
  SessionInit,
} from '../../src/core/index.js';
import { checkSessionId, HitlError, isoTime } from '../../src/core/index.js';
import { newSessionId } from '../folder/session-id.js';
import type { SessionNow } from '../inbox/inbox-place.js';
import { appendToInbox, inboxNotice, wantedIn } from '../inbox/inbox-place.js';
import { withoutMail } from '../inbox/without-mail.js';
import { changedSince, exists, notFound } from '../journal/open-journal.js';
import { createdEvent, encodeBatch, NO_RECORDS } from '../journal/session-tip.js';
import { readingNotice, unfit } from '../journal/journal-verdict.js';
import { recordReader } from '../journal/scan-journal.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';
import type { WriterPlace } from './append.js';
import { appendBatch } from './append.js';
import { FACTS, factsOf, places, writing } from './batch.js';
import type { Database } from './database.js';
import { notSaved } from './database.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import type { Known } from '../opening/adoption.js';
import { adoptionNotice, signOf, tipOf } from '../opening/adoption.js';
import type { Owner } from '../seal/authorship.js';
import type { KeyMark } from './key-mark.js';
import { loadRows } from './load.js';
import type { Origin } from './database-origin.js';
import { EPOCH, IS_OF_COPY, RESTORED_AT, restoredIn } from './database-origin.js';
import type { Packer, Texts } from './packing.js';
import { lineIn } from './packing.js';
import type { PostgresInbox } from './postgres-inbox.js';
import type { PostgresSessionOptions } from './postgres-session.js';
import { PostgresSession, release } from './postgres-session.js';
import type { Presence } from './presence.js';
import { inUse, LEASE } from './presence.js';
import { KNOWS } from './schema.js';
import type { ServerTime } from './server-time.js';
import { SERVER_TIME } from './server-time.js';
import { CHANNEL } from './bell.js';

/** The dependencies for opening a session. */
export interface OpeningWorld {
  readonly database: Database;
  readonly texts: Texts;
  readonly presence: Presence;
  readonly origin: Origin;
  readonly keyMark: KeyMark;
  readonly clock: Clock;
  readonly time: ServerTime;
  readonly random: (size: number) => Uint8Array;
  readonly space: string;
  /**
   * Returns the owner of a session, which distinguishes records written with our key from all others;
   * `undefined` if the store has no key.
   */
  readonly owner: (id: SessionId) => Owner | undefined;
  readonly inboxOf: (id: SessionId, session: () => Promise<SessionNow>) => PostgresInbox;
}

const CREATE = `with s as (
    insert into hitl_session (space, id, epoch, fence, holder, holder_knows, lease_until, packing, ${FACTS.join(', ')})
    values ($1, $2, ${EPOCH}, 1, $3, ${KNOWS}, now() + ${LEASE}, decode($4, 'hex'), ${places(5).join(', ')})
    on conflict (space, id) do nothing returning sid, space, id), `;

/**
 * Creates a session. Its first records are durable when the promise resolves. @throws HitlError SESSION_ID,
 * SESSION_EXISTS, SAVE_FAILED
 */
export async function createRow(world: OpeningWorld, init: SessionInit): Promise<Session> {
  const { database, clock, random, space } = world;
  await world.keyMark.check();
  const id = init.id === undefined ? newSessionId(clock.now(), random) : checkSessionId(init.id);
  const writer = {
    pid: process.pid,
    host: os.hostname(),
    at: isoTime(clock.now()),
    first: [],
    sign: signOf(world.owner(id)),
  };
  const { lines, stored, tip } = encodeBatch(
    NO_RECORDS,
    [createdEvent(init), ...(init.events ?? [])],
    writer,
  );
  const me = await present(world, id);
  const packer = await world.texts.packerFor(init.agent);
  const batch = { lines, stored, from: NO_RECORDS, to: tip, packer };
  const { text, parameters } = writing(batch, FACTS.length + 5);
  const [row] = await database.change(`session ${id}`, CREATE + text, [
    space,
    id,
    me,
    packer?.digest ?? null,
    ...factsOf(id, tip),
    ...parameters,
  ]);
  if (row === undefined) throw exists(id);
  return sessionOf(world, { id, sid: numberIn(row, 'sid'), fence: 1 }, { tip, packer, notices: [] });
}

/** Returns a session, as recorded in its current rows. @throws HitlError like `readRow` */
export async function sessionNow(world: OpeningWorld, id: SessionId): Promise<SessionNow> {
  return (await readRow(world, id)).now;
}

/** Opens a session for reading. @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
export async function readRow(world: OpeningWorld, id: SessionId): Promise<PostgresSession> {
  const { database, space } = world;
  const rows = await database.read(
    `session ${id}`,
    `select e.sid, e.line, e.packed, e.cut, s.packing, s.prev, ${IS_OF_COPY} as of_copy, ${RESTORED_AT} as restored_at from hitl_session s join hitl_event e using (sid)
     where s.space = $1 and s.id = $2 order by e.seq`,
    [space, checkSessionId(id)],
  );
  const [first] = rows;
  if (first === undefined) throw notFound(id);
  const owner = world.owner(id);
  const packer = await world.texts.packerIn(first);
  const loaded = loadRows(rows, packer, owner);
  const { health, position } = loaded;
  const isHopeless = position.seq === 0 && (health.status === 'damaged' || health.status === 'newer');
  if (isHopeless) throw unfit(id, health, 0);
  const notice = readingNotice(id, endOf(loaded, textIn(first, 'prev')));
  const known = { isRestored: first['of_copy'] === true, ...restoredIn(first) };
  const tip = tipOf(loaded, owner, known);
  const notices = [
    ...(notice === undefined ? [] : [notice]),
    ...(await told(world, id, { loaded, known }, tip)),
  ];
  const place = { id, sid: numberIn(first, 'sid'), fence: 0 };
  const { presence: _writes, ...reading } = world;
  return sessionOf(reading, place, { tip, packer, notices });
}

/** Returns a reader of the events added to a session's rows. */
export function tailRows({ database, owner, space, texts }: OpeningWorld, id: SessionId): EventTail {
  const next = recordReader(owner(checkSessionId(id)));
  let last = 0;
  return {
    next: async () => {
      const rows = await database.read(
        `session ${id}`,
        `select e.seq, e.line, e.packed, e.cut, s.packing from hitl_session s left join hitl_event e on e.sid = s.sid and e.seq > $3
         where s.space = $1 and s.id = $2 order by e.seq`,
        [space, id, last],
      );
      const [first] = rows;
      if (first === undefined) throw notFound(id);
      if (first['seq'] === null) return [];
      const packer = await texts.packerIn(first);
      const found = rows.map((row) => next(lineIn(row, packer))).filter((stored) => stored !== undefined);
      last = found.at(-1)?.seq ?? last;
      return found;
    },
  };
}

/**
 * Opens a session for writing. Acquires its lease, then reads it in a separate statement, so that the rows of
 * the previous writer are visible.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE,
 * SAVE_FAILED
 */
export async function openRow(world: OpeningWorld, id: SessionId): Promise<Session> {
  const { database, origin, space, time } = world;
  await world.keyMark.check();
  const me = await present(world, id);
  const condition = inUse(await database.asked());
  const [row] = await time.learnt(() =>
    database.change(
      `session ${id}`,
      `update hitl_session s set holder = $3, holder_knows = ${KNOWS}, fence = s.fence + 1, lease_until = now() + ${LEASE},
       attempts = 0, again_at = null
     where s.space = $1 and s.id = $2 and ${origin.fits} and not ${condition} returning s.sid, s.fence, s.prev, ${SERVER_TIME}`,
      [space, checkSessionId(id), me],
    ),
  );
  if (row === undefined) {
    await origin.check();
    throw await lockedRow(world, id);
  }
  const place = { id, sid: numberIn(row, 'sid'), fence: numberIn(row, 'fence') };
  return openClaimed(world, place, textIn(row, 'prev'));
}

/**
 * Opens a session whose lease this process has acquired.
 * @param prev the chain value after the session's last record
 * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE, after releasing the lease
 */
export async function openClaimed(world: OpeningWorld, place: WriterPlace, prev: string): Promise<Session> {
  const { database } = world;
  try {
    const owner = world.owner(place.id);
    const { loaded, packer, epoch, restored } = await loadToWrite(world, place, prev, owner);
    const known = { isRestored: epoch !== undefined, ...restored };
    const tip = tipOf(loaded, owner, known);
    const notices = await told(world, place.id, { loaded, known }, tip);
    if (epoch === undefined) return sessionOf(world, place, { tip, packer, notices });
    const now = await takenOver(world, place, { loaded, tip, epoch, packer });
    return sessionOf(world, place, { tip: now, packer, notices });
  } catch (thrown) {
    await release(database, place);
    throw thrown;
  }
}

/**
 * Adopts a session that was last opened before its database was restored (C2 of `database-origin.ts`). Before
 * the session is used, records which parts are void and notifies the senders of queued answers. If this
 * process crashes in between, the next one repeats these steps.
 */
async function takenOver(
  world: OpeningWorld,
  place: WriterPlace,
  { loaded, tip, epoch, packer }: Loaded & { readonly epoch: number },
): Promise<SessionTip> {
  const { database, clock, owner } = world;
  const { id, sid, fence } = place;
  const at = isoTime(clock.now());
  const writer = { pid: process.pid, host: os.hostname(), at, first: [], sign: signOf(owner(id)) };
  const { lines, stored, tip: to } = encodeBatch({ ...tip, isOpened: true }, [], writer);
  await appendBatch(
    { database, clock },
    place,
    { lines, stored, from: { ...tip, state: loaded.state }, to, packer },
    null,
  );
  if (owner(id) === undefined) await refuseAll(world, id, to); // with a key they are of another past
  await database.change(`session ${id}`, 'update hitl_session set epoch = $3 where sid = $1 and fence = $2', [
    sid,
    fence,
    epoch,
  ]);
  return { ...to, isOpened: false };
}

/** Refuses a session's queued answers. */
async function refuseAll({ clock, inboxOf }: OpeningWorld, id: SessionId, tip: SessionTip): Promise<void> {
  const place = inboxOf(id, () => Promise.resolve(tip));
  const left = (await place.read(0)).records.map(({ record }) => record).filter(wantedIn(tip.state));
  for (const { type, receipt } of left) {
    if (type !== 'answer') continue;
    const why = 'the database was restored from a backup after this answer was sent: answer again';
    const refusal = { v: 1, type: 'refusal', receipt, at: isoTime(clock.now()), why } as const;
    await appendToInbox(place, refusal, tip.past, new AbortController().signal);
  }
}

/** A loaded journal, the resulting tip, and the packer for its records. */
interface Loaded {
  readonly loaded: LoadedJournal;
  readonly tip: SessionTip;
  readonly packer: Packer | undefined;
}

/** A loaded journal, with information about the session that is stored outside the journal. */
interface Read {
  readonly loaded: LoadedJournal;
  readonly known: Known;
}

/** Describes the void parts of a session and its inbox. */
async function told(
  { inboxOf, owner }: OpeningWorld,
  id: SessionId,
  { loaded, known }: Read,
  tip: SessionTip,
): Promise<readonly string[]> {
  const adopted = adoptionNotice(id, loaded, tip, known);
  const inbox =
    owner(id) === undefined
      ? undefined // all that lies there counts
      : inboxNotice(await inboxOf(id, () => Promise.resolve(tip)).read(0), tip, 0);
  return [adopted, inbox].filter((line) => line !== undefined);
}

async function loadToWrite(
  { database, texts }: OpeningWorld,
  { id, sid }: { readonly id: SessionId; readonly sid: number },
  prev: string,
  owner: Owner | undefined,
): Promise<
  Omit<Loaded, 'tip'> & { readonly epoch: number | undefined; readonly restored: Pick<Known, 'restoredAt'> }
> {
  const rows = await database.read(
    `session ${id}`,
    `select e.line, e.packed, e.cut, s.packing, case when ${IS_OF_COPY} then ${EPOCH} end as epoch, ${RESTORED_AT} as restored_at from hitl_session s join hitl_event e using (sid)
     where s.sid = $1 order by e.seq`,
    [sid],
  );
  const packer = await texts.packerIn(rows[0] ?? {});
  const loaded = loadRows(rows, packer, owner);
  const { health, position } = endOf(loaded, prev);
  const [first = {}] = rows;
  const epoch = (first['epoch'] ?? null) === null ? undefined : numberIn(first, 'epoch');
  if (health.status === 'ok' || health.status === 'torn')
    return { loaded, packer, epoch, restored: restoredIn(first) };
  throw unfit(id, health, position.seq);
}

/**
 * Returns the loaded journal. Marks it as damaged if it does not end with the record that was written last.
 */
function endOf(loaded: LoadedJournal, prev: string): LoadedJournal {
  const { health, position } = loaded;
  if (health.status !== 'ok' || position.prev === prev) return loaded;
  const why = 'its last events do not match the ones that were written';
  return { ...loaded, health: { status: 'damaged', line: position.seq + 1, kind: 'gap', why, cutOff: 0 } };
}

/**
 * Removes a session and its rows. @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, VERSION_CONFLICT,
 * SAVE_FAILED
 */
export async function removeRow(
  world: OpeningWorld,
  id: SessionId,
  { unchangedSince }: RemoveOptions,
): Promise<void> {
  if (unchangedSince === undefined) return removedRow(world, id, {});
  const inbox = world.inboxOf(id, () => sessionNow(world, id));
  return withoutMail(inbox, () => removedRow(world, id, { unchangedSince, mailLock: inbox.heldAs ?? '' }));
}

/**
 * Removes a session that no process is writing, if it has not changed since it was listed and the lock on its
 * inbox is still held.
 */
async function removedRow(
  world: OpeningWorld,
  id: SessionId,
  { unchangedSince = null, mailLock = null }: { unchangedSince?: string | null; mailLock?: string | null },
): Promise<void> {
  const { database, space } = world;
  const leased = inUse(await database.asked());
  const rows = await database.change(
    `session ${id}`,
    `delete from hitl_session s where s.space = $1 and s.id = $2 and not ${leased}
       and ($3::text is null or s.updated_at = $3) and ($4::text is null or s.mail_lock = $4) returning s.sid, pg_notify('${CHANNEL}', s.id)::text as told`,
    [space, id, unchangedSince, mailLock],
  );
  if (rows.length > 0) return;
  const [changed] = await database.read(
    `session ${id}`,
    `select s.sid from hitl_session s where s.space = $1 and s.id = $2 and s.updated_at <> $3`,
    [space, id, unchangedSince],
  );
  throw changed === undefined ? await lockedRow(world, id) : changedSince(id);
}

/** Creates the error for a statement that found no row because the session is locked or does not exist. */
async function lockedRow({ database, space }: OpeningWorld, id: SessionId): Promise<HitlError> {
  const rows = await database.read(
    `session ${id}`,
    'select sid from hitl_session where space = $1 and id = $2',
    [space, id],
  );
  if (rows.length === 0) return notFound(id);
  return new HitlError('SESSION_LOCKED', `session ${id} is in use by another process`, {
    hint: `wait for it to finish; answer its questions with: hitl answer ${id}`,
  });
}

/**
 * Registers this process as a writer and returns its number. @throws HitlError SAVE_FAILED, LOCK_UNAVAILABLE
 */
async function present({ presence }: OpeningWorld, id: SessionId): Promise<number> {
  try {
    return await presence.me();
  } catch (thrown) {
    throw notSaved(`session ${id}`, thrown);
  }
}

function sessionOf(
  {
    database,
    clock,
    inboxOf,
    owner,
    presence,
  }: Omit<OpeningWorld, 'presence'> & { readonly presence?: Presence },
  place: { readonly id: SessionId; readonly sid: number; readonly fence: number },
  found: Pick<PostgresSessionOptions, 'tip' | 'packer' | 'notices'>,
): PostgresSession {
  return new PostgresSession({
    database,
    clock,
    place,
    ...found,
    inbox: (session) => inboxOf(place.id, session),
    owner: owner(place.id),
    ...(presence !== undefined && { presence }),
  });
}
