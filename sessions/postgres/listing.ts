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
import { isInterrupt, resolveId } from '../listing/index.js';
import type { Database } from './database.js';
import type { SqlParameter, SqlRow } from './driver/index.js';
import { numberIn, textIn } from './driver/index.js';
import { columnText, numberOf } from './batch.js';
import { inUse } from './presence.js';
import type { SeenSession, SessionRows } from './watching/index.js';

/** The number of rows that are asked for at once. */
const PAGE = 500;
/** The number of rows that a full look of a watch asks for at once. */
const SEEN_PAGE = 10_000;
/** The ids among which a mistyped one is looked for. */
const MOST_NEAR = 1000;

/** Sessions, newest first; each page begins behind the last row of the one before, however many there are. */
export async function* listRows(
  database: Database,
  space: string,
  query: SessionQuery,
): AsyncGenerator<SessionSummary> {
  let { before } = query;
  const leased = inUse(await database.asked());
  for (let left = query.limit ?? Infinity; left > 0;) {
    const size = Math.min(left, PAGE);
    const { text, parameters } = listStatement(leased, { space, size, query, before });
    const rows = await database.read('the sessions', text, parameters);
    const page = rows.map(summaryIn);
    yield* page;
    left -= page.length;
    before = page.at(-1);
    if (page.length < size) return;
  }
}

interface Page {
  readonly space: string;
  readonly size: number;
  readonly query: SessionQuery;
  readonly before: SessionQuery['before'];
}

/**
 * A page of the list, as one flat statement that names only what was asked for, so that the index gives its order: who
 * is alive is a function that changes by itself, and a part of a statement that calls one is never taken into the rest.
 */
function listStatement(leased: string, { space, size, query: { status, search }, before }: Page) {
  const parameters: SqlParameter[] = [space, size];
  const given = (value: SqlParameter): string => `$${parameters.push(value)}`;
  const wanted = [
    ...(before === undefined
      ? []
      : [`(s.updated_at, s.id) < (${given(before.updatedAt)}, ${given(before.id)})`]),
    ...(status === undefined ? [] : [hasStatus(status, leased, given)]),
    ...(search === undefined ? [] : [`position(${given(columnText(search.toLowerCase()))} in s.words) > 0`]),
  ];
  const text = `select s.id, s.title, s.waiting, s.turns, s.created_at, s.updated_at, s.until_at, ${shownStatus(leased)}
    from hitl_session s where ${['s.space = $1', ...wanted].join(' and ')}
    order by s.updated_at desc, s.id desc limit $2`;
  return { text, parameters };
}

/** A condition: what waits for somebody waits whoever holds it; all else runs while it is held. */
function hasStatus(status: SessionStatus, leased: string, given: (value: SqlParameter) => string): string {
  switch (status) {
    case 'waiting':
      return `s.status = 'waiting'`;
    case 'running':
      return `s.status <> 'waiting' and ${leased}`;
    case 'done':
    case 'failed':
    case 'interrupted':
    case 'unreadable':
      return `s.status = ${given(status)} and not ${leased}`;
  }
}

/** The rows of sessions as a watch reads them: all in the order of their ids, or by the index of what changed last. */
export function seenRows(database: Database, space: string): SessionRows {
  const statement = (leased: string, wanted: string): string =>
    `select s.id, s.waiting, s.updated_at, ${shownStatus(leased)} from hitl_session s where s.space = $1 and ${wanted}`;
  return {
    async *all() {
      const leased = inUse(await database.asked());
      for (let last: string | undefined = ''; last !== undefined;) {
        const text = `${statement(leased, 's.id > $2')} order by s.id limit ${SEEN_PAGE}`;
        const rows: readonly SeenSession[] = (await database.read('the sessions', text, [space, last])).map(
          seenIn,
        );
        yield* rows;
        last = rows.length < SEEN_PAGE ? undefined : rows.at(-1)?.id;
      }
    },
    async since(at, ids) {
      const leased = inUse(await database.asked());
      const text = `${statement(leased, 's.updated_at >= $2')}
        union all ${statement(leased, 's.id = any($3::text[]) and s.updated_at < $2')}`;
      return (await database.read('the sessions', text, [space, at, ids])).map(seenIn);
    },
  };
}

function seenIn(row: SqlRow): SeenSession {
  return {
    id: checkSessionId(textIn(row, 'id')),
    waiting: numberIn(row, 'waiting'),
    status: statusIn(row),
    updatedAt: textIn(row, 'updated_at'),
  };
}

/** The status as lists show it, as a column. */
function shownStatus(leased: string): string {
  return `case when s.status <> 'waiting' and ${leased} then 'running' else s.status end as status`;
}

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
  };
}

const STATUSES: Readonly<Record<SessionStatus, true>> = {
  done: true,
  waiting: true,
  interrupted: true,
  failed: true,
  running: true,
  unreadable: true,
};

function isStatus(text: string): text is SessionStatus {
  return Object.hasOwn(STATUSES, text);
}

/** A word that this version does not know stands for a session that it cannot read. */
function statusIn(row: SqlRow): SessionStatus {
  const text = textIn(row, 'status');
  return isStatus(text) ? text : 'unreadable';
}

/** Open questions of all sessions, the oldest first. No journal is read for it. */
export async function* waitingRows(
  database: Database,
  space: string,
  query: WaitingQuery,
): AsyncGenerator<WaitingItem> {
  let after = query.after && placeOf(query.after);
  for (let left = query.limit ?? Infinity; left > 0;) {
    const size = Math.min(left, PAGE);
    const { wanted, parameters, given } = wantedBy(space, query);
    const behind =
      after === undefined ? '' : ` and (o.raised_at, o.session, o.number) > (${after.map(given).join(', ')})`;
    const rows = await database.read(
      'what waits',
      `select o.session, o.raised_at, o.number, s.title, o.body from hitl_open o join hitl_session s using (sid)
       where ${wanted}${behind} order by o.raised_at, o.session, o.number limit ${given(size)}`,
      parameters,
    );
    yield* rows.flatMap(waitingIn);
    left -= rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = [textIn(last, 'raised_at'), textIn(last, 'session'), numberIn(last, 'number')];
  }
}

/** The place of an item among all of them. */
function placeOf({ session, interrupt }: WaitingItem): readonly SqlParameter[] {
  return [interrupt.raisedAt, session, numberOf(interrupt.id)];
}

/** The number of open questions: no session is looked at for it. */
export async function countWaiting(database: Database, space: string, query: WaitingQuery): Promise<number> {
  const { wanted, parameters } = wantedBy(space, query);
  const [row] = await database.read(
    'what waits',
    `select count(*) as n from hitl_open o where ${wanted}`,
    parameters,
  );
  return row === undefined ? 0 : numberIn(row, 'n');
}

/** The conditions of a query, with their values; `given` takes one more and names its place. */
function wantedBy(space: string, { kind, tool }: Pick<WaitingQuery, 'kind' | 'tool'>) {
  const parameters: SqlParameter[] = [];
  const given = (value: SqlParameter): string => `$${parameters.push(value)}`;
  const wanted = [
    `o.space = ${given(space)}`,
    ...(kind === undefined ? [] : [`o.kind = ${given(columnText(kind))}`]),
    ...(tool === undefined ? [] : [`o.tool = ${given(columnText(tool))}`]),
  ].join(' and ');
  return { wanted, parameters, given };
}

/** None where a later version left it in another form. */
function waitingIn(row: SqlRow): readonly WaitingItem[] {
  const body: unknown = JSON.parse(textIn(row, 'body'));
  if (!isVotable(body)) return [];
  const { votes, ...interrupt } = body;
  const question = { interrupt, ...(votes !== undefined && { votes }) };
  return [{ session: checkSessionId(textIn(row, 'session')), title: textIn(row, 'title'), ...question }];
}

/** An interrupt, with the votes beside it where there are any. */
function isVotable(body: unknown): body is Interrupt & Pick<WaitingItem, 'votes'> {
  return isInterrupt(body);
}

/** The session that an id, or the beginning of one, names. @throws HitlError as `resolveId` */
export async function resolveRow(database: Database, space: string, text: string): Promise<SessionId> {
  const found = await database.read(
    'the sessions',
    `select id from hitl_session where space = $1 and starts_with(id, $2)
     union all (select id from hitl_session where space = $1 order by updated_at desc, id desc limit $3)`,
    [space, columnText(text), MOST_NEAR],
  );
  const ids = new Set(found.map((row) => checkSessionId(textIn(row, 'id'))));
  return resolveId(text, () => [...ids]);
}
