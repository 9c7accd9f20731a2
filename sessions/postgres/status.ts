import type { FailingSession, SessionStatus, StoreStatus, Workers, Worklist } from '../../src/core/index.js';
import { isoTime } from '../../src/core/index.js';
import type { SqlRow } from './driver/index.js';
import { numberIn, textIn } from './driver/index.js';
import { isStatus } from './listing.js';
import type { OpeningWorld } from './opening.js';
import { GO_AT } from './schema.js';

/** Failing sessions of which each is told. */
const MOST_FAILING = 5;

/** A session whose lease runs is written, whoever is gone. */
const BY_STATUS = `select case when s.status <> 'waiting' and s.lease_until > now() then 'running' else s.status end
    as status, count(*) as n
  from hitl_session s where s.space = $1 group by 1`;
const BY_KIND = `select o.kind, count(*) as n, min(o.raised_at) as oldest from hitl_open o
  where o.space = $1 group by o.kind order by n desc, o.kind limit 20`;
const DUE = `select count(*) as n, floor(extract(epoch from min(${GO_AT})) * 1000)::bigint as oldest
  from hitl_session s
  where s.space = $1 and s.holder is null and least(s.due_at, s.wake_at) is not null and ${GO_AT} <= now()`;
const SCHEMA = 'select version, reads_from from hitl_version order by version desc limit 1';

/** How the sessions of a database are: one aggregate for each kind of count. */
export async function statusOfRows(
  { database, clock, space }: OpeningWorld,
  { workers, worklist }: { readonly workers: Workers; readonly worklist: Worklist },
): Promise<StoreStatus> {
  const read = (text: string) => database.read('the sessions', text, [space]);
  const [due] = await read(DUE);
  const [schema] = await database.read('the schema', SCHEMA);
  return {
    sessions: countsIn(await read(BY_STATUS)),
    open: (await read(BY_KIND)).map((row) => ({
      kind: textIn(row, 'kind').slice(0, 80),
      questions: numberIn(row, 'n'),
      oldest: textIn(row, 'oldest').slice(0, 80),
    })),
    due: {
      sessions: due === undefined ? 0 : numberIn(due, 'n'),
      ...(due !== undefined && due['oldest'] !== null && { oldest: isoTime(numberIn(due, 'oldest')) }),
    },
    failing: await failingIn(worklist),
    unserved: await workers.unserved(),
    workers: await workers.alive(),
    ...(schema !== undefined && {
      schema: { version: numberIn(schema, 'version'), readsFrom: numberIn(schema, 'reads_from') },
    }),
    clockAheadMs: (clock.basis ?? clock).now() - clock.now(),
  };
}

function countsIn(rows: readonly SqlRow[]): StoreStatus['sessions'] {
  const counts: Partial<Record<SessionStatus, number>> = {};
  for (const row of rows) {
    const status = textIn(row, 'status');
    const known = isStatus(status) ? status : 'unreadable';
    counts[known] = (counts[known] ?? 0) + numberIn(row, 'n');
  }
  return counts;
}

async function failingIn(worklist: Worklist): Promise<NonNullable<StoreStatus['failing']>> {
  const first: FailingSession[] = [];
  let sessions = 0;
  for await (const one of worklist.failing()) {
    sessions += 1;
    if (first.length < MOST_FAILING) first.push(one);
  }
  return { sessions, first };
}
