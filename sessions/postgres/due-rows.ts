import type { DeliveryNote, DeliveryPart, DeliveryTarget, WaitingItem } from '../../src/core/index.js';
import { isoTime } from '../../src/core/index.js';
import type { SqlParameter, SqlRow } from './driver/sql-driver.js';
import { textIn } from './driver/sql-driver.js';
import type { Questions } from './list-rows.js';
import { QUESTION, waitingIn } from './list-rows.js';
import { ABOUT, aboutOf, noteIn, WHAT } from './note-rows.js';

// Invariants:
// B1 A receiver has a snapshot: of every question that it shows, and that is told, there was a note, or it is not open
//    any more. What it does not show is new, whatever the order in which transactions ended. It is kept once all that
//    was new is done; an older one reads more, and tells nothing twice.
// B2 A note that names its open question loses that name in the statement that resolves it: whoever notes holds the
//    question for as long as that takes, and whoever resolves it waits so long, whatever its version.
// B3 A note without a name is looked at. Where its question is open, since an older version noted it, it gets one.
// B4 A snapshot counts in the server that made it: numbers of transactions mean nothing in another one. A snapshot that
//    is lost is one of nothing: all that is open is read once more.

/** Rows per query. */
const PAGE = 200;
/**
 * One day in milliseconds. Times stored as text may be in any time zone, so comparisons allow for a
 * difference of a day.
 */
const DAY_MS = 86_400_000;

interface Looking extends Questions {
  readonly target: DeliveryTarget;
}

/**
 * Yields all notes and questions that may be due for a receiver. Uses an index, so that no other rows are
 * read.
 */
export async function* dueParts(looking: Looking, now: number): AsyncGenerator<DeliveryPart> {
  yield* dueNotes(looking, now);
  yield* unnoted(looking);
}

/** Returns the name of a receiver as it is encoded in the JSON of a note. */
function channelOf({ name }: DeliveryTarget): string {
  return JSON.stringify(name).slice(1, -1);
}

const DUE = `select key, due, body, open_sid from hitl_delivery where space = $1 and channel = $2`;
/** Queries the next page of due notes, and the first note that is not yet due. */
const DUE_NOTES = `(${DUE} and due <= $3 and (due, key) > ($4, $5) order by due, key limit ${PAGE})
  union all (${DUE} and due > $3 order by due, key limit 1)`;

async function* dueNotes(looking: Looking, now: number): AsyncGenerator<DeliveryPart> {
  const { database, space, target } = looking;
  const until = isoTime(now);
  for (let after: readonly string[] | undefined = ['', '']; after !== undefined;) {
    const rows = await database.read(WHAT, DUE_NOTES, [space, channelOf(target), until, ...after]);
    const due = rows.filter((row) => textIn(row, 'due') <= until);
    const last = due.at(-1);
    after = due.length < PAGE || last === undefined ? undefined : [textIn(last, 'due'), textIn(last, 'key')];
    const noted = rows.flatMap((row) => {
      const note = noteIn(row);
      return note === undefined ? [] : [{ note, isLoose: row['open_sid'] === null }];
    });
    if (noted.length === 0) continue;
    const notes = noted.map(({ note }) => note);
    const waiting = await questionsOf(looking, notes);
    const open = new Set(waiting.map(nameOf));
    for (const { note, isLoose } of noted)
      if (isLoose && open.has([note.session, note.interrupt, note.digest].join(' ')))
        await tie(looking, note);
    yield { notes, waiting };
  }
}

function nameOf({ session, interrupt: { id, digest } }: WaitingItem): string {
  return [session, id, digest].join(' ');
}

/** Returns the open questions that notes refer to. */
async function questionsOf(
  { database, texts, space }: Looking,
  notes: readonly DeliveryNote[],
): Promise<readonly WaitingItem[]> {
  const rows = await database.read(
    WHAT,
    `select ${QUESTION}
     from (select distinct * from unnest($2::text[], $3::text[]) n (session, interrupt)) n
     join hitl_session s on s.space = $1 and s.id = n.session
     join hitl_open o on o.sid = s.sid and o.interrupt = n.interrupt`,
    [space, notes.map(({ session }) => session), notes.map(({ interrupt }) => interrupt)],
  );
  return waitingIn(rows, texts);
}

/** Records in a note the question that it belongs to (B3). */
async function tie({ database, space }: Looking, note: DeliveryNote): Promise<void> {
  await database.change(
    WHAT,
    `with ${ABOUT} update hitl_delivery d set open_sid = q.sid, open_interrupt = q.interrupt from q
     where d.space = $1 and d.key = $5 and d.revision = $6`,
    [...aboutOf(space, note), note.key, note.revision],
  );
}

/** SQL expression that identifies the server to which transaction numbers belong (B4). */
const HISTORY = `(select system_identifier::text from pg_control_system())`;
const SEEN = `select pg_current_snapshot()::text as now, pg_snapshot_xmax(t.seen)::text as first,
    array(select pg_snapshot_xip(t.seen)::text) as late
  from (values (1)) one left join hitl_told t
    on t.space = $1 and t.channel = $2 and t.since = $3 and t.history = ${HISTORY}`;
/**
 * Stores the snapshot that a receiver has seen. Deletes the receiver's snapshots that have a different start
 * time and were not used for 30 days.
 */
const SAW = `with old as (
    delete from hitl_told where space = $1 and channel = $2 and since <> $3 and at < now() - interval '30 days')
  insert into hitl_told (space, channel, since, history, seen)
  values ($1, $2, $3, ${HISTORY}, $4::text::pg_snapshot)
  on conflict (space, channel, since, history) do update set seen = excluded.seen, at = now()`;

/**
 * Yields open questions that have no note and were not visible in the snapshot that the receiver last saw
 * (B1).
 */
async function* unnoted(looking: Looking): AsyncGenerator<DeliveryPart> {
  const { database, texts, space, target } = looking;
  const place = [space, channelOf(target), target.since === undefined ? '' : isoTime(target.since)];
  const [row = {}] = await database.read(WHAT, SEEN, place);
  const { now, first, late } = row;
  let isNew = typeof first !== 'string';
  let isWhole = true;
  for (const range of typeof first === 'string' ? sinceThen(first, late) : [allSince(target)]) {
    for await (const rows of pagesOf(looking, range)) {
      const waiting = await waitingIn(rows, texts);
      isNew = true;
      isWhole &&= waiting.length === rows.length; // the version that reads the others tells of them
      yield { notes: [], waiting };
    }
  }
  if (isNew && isWhole && typeof now === 'string') await database.change(WHAT, SAW, [...place, now]);
}

/** A range of open questions, read through an index. */
interface Range {
  /** The SQL condition. `$3` stands for `value`. */
  readonly wanted: string;
  readonly value: SqlParameter;
  /** The columns to order by, with their types. */
  readonly order: readonly (readonly [name: string, type: string])[];
}

/**
 * Returns the range of all questions, or only of recent ones if the receiver does not want older ones. Oldest
 * first.
 */
function allSince({ since }: DeliveryTarget): Range {
  return {
    wanted: 'o.raised_at >= $3',
    value: since === undefined ? '' : isoTime(since - DAY_MS),
    order: [
      ['raised_at', 'text'],
      ['session', 'text'],
      ['number', 'int'],
    ],
  };
}

/**
 * Returns the ranges of questions that were added after a snapshot, or by a transaction that was in progress
 * at that time. Transaction numbers in the future are excluded, because they come from another server.
 */
function sinceThen(first: string, late: unknown): readonly Range[] {
  const order: Range['order'] = [
    ['asked_in', 'xid8'],
    ['sid', 'bigint'],
    ['interrupt', 'text'],
  ];
  const underWay = Array.isArray(late) ? late.filter((each) => typeof each === 'string') : [];
  const behind = 'o.asked_in >= $3::text::xid8 and o.asked_in < pg_snapshot_xmax(pg_current_snapshot())';
  return [
    ...(underWay.length === 0
      ? []
      : [{ wanted: 'o.asked_in = any($3::text[]::xid8[])', value: underWay, order }]),
    { wanted: behind, value: first, order },
  ];
}

/** Yields the questions in a range for which the receiver has no note, page by page. */
async function* pagesOf(
  { database, space, target }: Looking,
  { wanted, value, order }: Range,
): AsyncGenerator<readonly SqlRow[]> {
  const names = order.map(([name]) => `o.${name}`).join(', ');
  const behind = order.map(([, type], index) => `$${index + 4}::text::${type}`).join(', ');
  const places = order.map(([name], index) => `o.${name}::text as place_${index}`).join(', ');
  for (let after: readonly string[] = [], isLast = false; !isLast;) {
    const rows = await database.read(
      WHAT,
      `select ${QUESTION}, ${places} from hitl_open o join hitl_session s using (sid)
       where o.space = $1 and ${wanted} and not exists (select from hitl_delivery d
           where d.open_sid = o.sid and d.open_interrupt = o.interrupt and d.channel = $2)
         ${after.length === 0 ? '' : `and (${names}) > (${behind})`}
       order by ${names} limit ${PAGE}`,
      [space, channelOf(target), value, ...after],
    );
    if (rows.length > 0) yield rows;
    isLast = rows.length < PAGE;
    const last = rows.at(-1);
    if (last !== undefined) after = order.map((_, index) => textIn(last, `place_${index}`));
  }
}
