import type {
  Interrupt,
  InterruptKind,
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
import { numberOf } from './batch.js';
import { inUse } from './presence.js';

/** The number of rows that are asked for at once. */
const PAGE = 500;
/** The ids among which a mistyped one is looked for. */
const MOST_NEAR = 1000;

/** Sessions, newest first; each page begins behind the last row of the one before, however many there are. */
export async function* listRows(
  database: Database,
  space: string,
  query: SessionQuery,
): AsyncGenerator<SessionSummary> {
  const { status, search, limit = Infinity } = query;
  let { before } = query;
  const text = await listStatement(database);
  for (let left = limit; left > 0;) {
    const size = Math.min(left, PAGE);
    const rows = await database.read('the sessions', text, [
      space,
      before?.updatedAt ?? null,
      before?.id ?? null,
      status ?? null,
      search?.toLowerCase() ?? null,
      size,
    ]);
    const page = rows.map(summaryIn);
    yield* page;
    left -= page.length;
    before = page.at(-1);
    if (page.length < size) return;
  }
}

async function listStatement(database: Database): Promise<string> {
  const condition = inUse(await database.asked());
  return `select * from (
      select s.id, s.title, s.words, s.waiting, s.turns, s.created_at, s.updated_at, s.until_at,
        case when s.status <> 'waiting' and ${condition} then 'running' else s.status end as status
      from hitl_session s
      where s.space = $1 and ($2::text is null or (s.updated_at, s.id) < ($2, $3))) s
    where ($4::text is null or s.status = $4) and ($5::text is null or position($5 in s.words) > 0)
    order by s.updated_at desc, s.id desc limit $6`;
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

const WANTED = `from hitl_open o join hitl_session s using (sid)
  where o.space = $1 and ($2::text is null or o.kind = $2) and ($3::text is null or o.tool = $3)`;

/** Open questions of all sessions, the oldest first. No journal is read for it. */
export async function* waitingRows(
  database: Database,
  space: string,
  query: WaitingQuery,
): AsyncGenerator<WaitingItem> {
  let after = query.after && placeOf(query.after);
  for (let left = query.limit ?? Infinity; left > 0;) {
    const size = Math.min(left, PAGE);
    const rows = await database.read(
      'what waits',
      `select o.session, o.raised_at, o.number, s.title, o.body ${WANTED}
         and ($4::text is null or (o.raised_at, o.session, o.number) > ($4, $5, $6::int))
       order by o.raised_at, o.session, o.number limit $7`,
      [...wantedBy(space, query), ...(after ?? [null, null, null]), size],
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

/** The number of open questions. */
export async function countWaiting(database: Database, space: string, query: WaitingQuery): Promise<number> {
  const [row] = await database.read('what waits', `select count(*) as n ${WANTED}`, wantedBy(space, query));
  return row === undefined ? 0 : numberIn(row, 'n');
}

function wantedBy(
  space: string,
  { kind, tool }: { readonly kind?: InterruptKind; readonly tool?: string },
): readonly SqlParameter[] {
  return [space, kind ?? null, tool ?? null];
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
    [space, text.replaceAll('\0', ''), MOST_NEAR],
  );
  const ids = new Set(found.map((row) => checkSessionId(textIn(row, 'id'))));
  return resolveId(text, () => [...ids]);
}
