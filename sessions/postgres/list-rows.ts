import type {
  Interrupt,
  SessionId,
  SessionQuery,
  SessionStatus,
  SessionSummary,
  WaitingItem,
  WaitingQuery,
} from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import { isInterrupt } from '../listing/waiting-index.js';
import { resolveId } from '../listing/resolve-id.js';
import type { Database } from './database.js';
import type { SqlParameter, SqlRow } from './driver/sql-driver.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import { columnText, numberOf } from './batch.js';
import type { Texts } from './packing.js';
import { questionIn } from './packing.js';
import { giveBack, LEASED } from './presence.js';

/** Rows per query. */
const PAGE = 500;
/** Maximum number of ids to compare with a mistyped id. */
const MOST_NEAR = 1000;

/** Yields sessions, newest first. Each page starts after the last row of the previous page. */
export async function* listRows(
  database: Database,
  space: string,
  query: SessionQuery,
): AsyncGenerator<SessionSummary> {
  let { before } = query;
  if (before === undefined) await givenBack(database, query);
  for (let left = query.limit ?? Infinity; left > 0;) {
    const size = Math.min(left, PAGE);
    const { text, parameters } = listStatement({ space, size, query, before });
    const rows = await database.read('the sessions', text, parameters);
    const page = rows.map(summaryIn);
    yield* page;
    left -= page.length;
    before = page.at(-1);
    if (page.length < size) return;
  }
}

/** Returns the number of sessions in a list. Most queries need only an index. */
export async function countRows(database: Database, space: string, query: SessionQuery): Promise<number> {
  await givenBack(database, query);
  const { from, parameters } = listedBy(space, query);
  const [row] = await database.read('the sessions', `select count(*) as n ${from}`, parameters);
  return row === undefined ? 0 : numberIn(row, 'n');
}

/**
 * Releases leases of dead processes before a list is read. Ignores errors, so that a read-only database can
 * still be read.
 */
async function givenBack(database: Database, { status, unread }: SessionQuery): Promise<void> {
  if (status !== 'waiting' || unread === true) await giveBack(database).catch(() => false);
}

interface Page {
  readonly space: string;
  readonly size: number;
  readonly query: SessionQuery;
  readonly before: SessionQuery['before'];
}

/** Builds the query for a page of the list. */
function listStatement({ space, size, query, before }: Page) {
  const { from, parameters, given } = listedBy(space, { ...query, ...(before && { before }) });
  const text = `select s.id, s.title, s.waiting, s.turns, s.created_at, s.updated_at, s.until_at, s.folder, ${SHOWN_STATUS},
      ${UNREAD} as unread, ${IDLE} as idle
    ${from} order by s.updated_at desc, s.id desc limit ${given(size)}`;
  return { text, parameters };
}

/**
 * Builds a session query that contains only the requested conditions, so that an index provides the order.
 * Running sessions are searched among the locked ones, which are few, because they could be anywhere in the
 * full list.
 */
function listedBy(space: string, { status, unread, search, before }: SessionQuery) {
  const parameters: SqlParameter[] = [space];
  const given = (value: SqlParameter): string => `$${parameters.push(value)}`;
  const wanted = [
    's.space = $1',
    ...(before === undefined
      ? []
      : [`(s.updated_at, s.id) < (${given(before.updatedAt)}, ${given(before.id)})`]),
    ...(status === undefined ? [] : [hasStatus(status, given)]),
    ...(unread === true ? [UNREAD] : []),
    ...(search === undefined ? [] : [`position(${given(columnText(search.toLowerCase()))} in s.words) > 0`]),
  ];
  const rows = status === 'running' ? HELD : unread === true ? LEFT_TO : 'hitl_session';
  const from = `from ${rows} s where ${wanted.join(' and ')}`;
  return { from, parameters, given };
}

/**
 * Returns the SQL condition for a status. A session that waits for a person has the status `waiting`, whether
 * it is locked or not. Any other session has the status `running` while it is locked.
 */
function hasStatus(status: SessionStatus, given: (value: SqlParameter) => string): string {
  switch (status) {
    case 'waiting':
      return `s.status = 'waiting'`;
    case 'running':
      return `s.status <> 'waiting' and ${LEASED}`;
    case 'done':
    case 'failed':
    case 'interrupted':
    case 'unreadable':
      return `s.status = ${given(status)} and not ${LEASED}`;
  }
}

/**
 * Selects locked sessions through their index. `offset 0` prevents the planner from choosing another index.
 */
const HELD = `(select * from hitl_session where holder is not null offset 0)`;

/** SQL condition for an unlocked session with queued input that was not processed. */
const UNREAD = `(s.waiting > 0 and s.wakes > s.looked and s.holder is null)`;

/** Selects sessions with queued input through the index of due sessions. */
const LEFT_TO = `(select * from hitl_session where holder is null and least(due_at, wake_at) is not null
  and wake_at is not null offset 0)`;

/** SQL condition for a locked session that cannot continue on its own. */
const IDLE = `(s.status <> 'waiting' and ${LEASED} and s.due_at is null)`;

/** Column with the status that lists show. */
const SHOWN_STATUS = `case when s.status <> 'waiting' and ${LEASED} then 'running' else s.status end as status`;

function summaryIn(row: SqlRow): SessionSummary {
  const until = row['until_at'];
  return {
    id: checkSessionId(textIn(row, 'id')),
    title: textIn(row, 'title'),
    status: statusIn(row),
    waiting: numberIn(row, 'waiting'),
    turns: numberIn(row, 'turns'),
    createdAt: textIn(row, 'created_at'),
    updatedAt: textIn(row, 'updated_at'),
    ...(typeof until === 'string' && { until }),
    ...(row['unread'] === true && { unread: true as const }),
    ...(row['idle'] === true && { idle: true as const }),
    ...folderIn(row),
  };
}

function folderIn({ folder }: SqlRow): { readonly folder?: string } {
  return typeof folder === 'string' ? { folder } : {};
}

const STATUSES: Readonly<Record<SessionStatus, true>> = {
  done: true,
  waiting: true,
  interrupted: true,
  failed: true,
  running: true,
  unreadable: true,
};

/** Whether this version knows a status. */
function isStatus(text: string): text is SessionStatus {
  return Object.hasOwn(STATUSES, text);
}

/** Returns the status in a row; `unreadable` if this version does not know it. */
export function statusIn(row: SqlRow, column = 'status'): SessionStatus {
  const text = textIn(row, column);
  return isStatus(text) ? text : 'unreadable';
}

/** Everything needed to query questions, including packed ones. */
export interface Questions {
  readonly database: Database;
  readonly texts: Texts;
  readonly space: string;
}

/** Yields the open questions of all sessions, oldest first, without reading a journal. */
export async function* waitingRows(
  { database, texts, space }: Questions,
  query: WaitingQuery,
): AsyncGenerator<WaitingItem> {
  let after = query.after && placeOf(query.after);
  for (let left = query.limit ?? Infinity; left > 0;) {
    const size = Math.min(left, PAGE);
    const { open, wanted, parameters, given } = wantedBy(space, query);
    const behind =
      after === undefined ? '' : ` and (o.raised_at, o.session, o.number) > (${after.map(given).join(', ')})`;
    const rows = await database.read(
      'what waits',
      `select ${QUESTION}, o.number from ${open} o join hitl_session s using (sid)
       where ${wanted}${behind} order by o.raised_at, o.session, o.number limit ${given(size)}`,
      parameters,
    );
    yield* await waitingIn(rows, texts);
    left -= rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = [textIn(last, 'raised_at'), textIn(last, 'session'), numberIn(last, 'number')];
  }
}

/** Returns an item's position in the list of all questions. */
function placeOf({ session, interrupt }: WaitingItem): readonly SqlParameter[] {
  return [interrupt.raisedAt, session, numberOf(interrupt.id)];
}

/** Counts open questions without reading sessions. */
export async function countWaiting(database: Database, space: string, query: WaitingQuery): Promise<number> {
  const { open, wanted, parameters } = wantedBy(space, query);
  const [row] = await database.read(
    'what waits',
    `select count(*) as n from ${open} o where ${wanted}`,
    parameters,
  );
  return row === undefined ? 0 : numberIn(row, 'n');
}

/**
 * Returns the conditions for a query and their values. `given` adds a value and returns its placeholder. If
 * sessions are specified, their questions are found by session and not by time. `offset` forces the planner
 * to do this.
 */
function wantedBy(space: string, { kind, tool, sessions }: Omit<WaitingQuery, 'after' | 'limit'>) {
  const parameters: SqlParameter[] = [];
  const given = (value: SqlParameter): string => `$${parameters.push(value)}`;
  const wanted = [
    `o.space = ${given(space)}`,
    ...(kind === undefined ? [] : [`o.kind = ${given(columnText(kind))}`]),
    ...(tool === undefined ? [] : [`o.tool = ${given(columnText(tool))}`]),
  ].join(' and ');
  const open =
    sessions === undefined
      ? 'hitl_open'
      : `(select * from hitl_open where sid in (select sid from hitl_session
          where space = $1 and id = any(${given(sessions)}::text[])) offset 0)`;
  return { open, wanted, parameters, given };
}

/** Columns of a question `o` in a session `s`. */
export const QUESTION = 'o.session, o.raised_at, s.title, s.folder, s.packing, o.body, o.packed, o.digest';

/** Returns the questions in these rows. Skips questions in the format of a later version. */
export async function waitingIn(rows: readonly SqlRow[], texts: Texts): Promise<readonly WaitingItem[]> {
  const packerIn = await texts.packersIn(rows);
  return rows.flatMap((row) => {
    const body = questionIn(row, packerIn(row));
    if (!isVotable(body)) return [];
    const { votes, ...interrupt } = body;
    const question = { interrupt, ...(votes !== undefined && { votes }) };
    const session = checkSessionId(textIn(row, 'session'));
    return [{ session, title: textIn(row, 'title'), ...folderIn(row), ...question }];
  });
}

/** Whether the body of a row is an interrupt. It may also contain votes. */
function isVotable(body: unknown): body is Interrupt & Pick<WaitingItem, 'votes'> {
  return isInterrupt(body);
}

/**
 * Resolves an id or a prefix to a session. Reads other ids only if none matches.
 * @throws HitlError like `resolveId`
 */
export async function resolveRow(database: Database, space: string, text: string): Promise<SessionId> {
  const begun = await database.read(
    'the sessions',
    'select id from hitl_session where space = $1 and starts_with(id, $2)',
    [space, columnText(text)],
  );
  const found =
    begun.length > 0
      ? begun
      : await database.read(
          'the sessions',
          'select id from hitl_session where space = $1 order by updated_at desc, id desc limit $2',
          [space, MOST_NEAR],
        );
  const ids = found.map((row) => checkSessionId(textIn(row, 'id')));
  return resolveId(text, () => ids);
}
