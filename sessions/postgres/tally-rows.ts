import type { Counted, DueKind, StoreTally } from '../../src/core/index.js';
import { INTERRUPT_KINDS } from '../../src/core/index.js';
import { MANY_ATTEMPTS } from '../attempt-pause.js';
import type { Database } from './database.js';
import type { SqlRow } from './driver/sql-driver.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import { GO_AT, OPEN_KIND } from './schema.js';

// Invariants:
// N1 Each number is read by an index, in its order, and no further than `MOST`: ten million rows cost what `MOST` do.

/** Maximum number of rows of one kind that are counted (N1). */
export const MOST = 10_000;

const KINDS = [...INTERRUPT_KINDS, 'wait'] as const;
/**
 * The two names under which interrupts of the kind `question` are counted. A `wait` does not ask a person.
 */
const QUESTIONS = ['question', 'wait'] as const;
const STATES = ['done', 'waiting', 'interrupted', 'failed'] as const;
const DUE = ['left', 'retry', 'run'] as const satisfies readonly DueKind[];

/**
 * Builds a query that counts open interrupts by name. @param kind an SQL condition that ends with the
 * expression to compare with the name
 */
function openOf(kind: string, names: string): string {
  const those = `from hitl_open o where o.space = $1 and ${kind} = k.name order by o.raised_at`;
  return `select 'open' as what, k.name, (select count(*) from (select ${those} limit ${MOST}) c) as n,
    (select o.raised_at ${those} limit 1) as oldest from unnest(${names}::text[]) k (name)`;
}

/** Counts the contents of a space by kind, with the age of the oldest item. */
const TALLY = `
  ${openOf('o.kind', '$2')}
  union all ${openOf(`o.kind = 'question' and ${OPEN_KIND}`, '$4')}
  union all select 'state', k.name, (select count(*) from (select from hitl_session s
      where s.space = $1 and s.status = k.name limit ${MOST}) c), null
    from unnest($3::text[]) k (name)
  union all select 'held', c.status, count(*), null from (select s.status from hitl_session s
      where s.holder is not null and s.lease_until > now() and s.space = $1 limit ${MOST}) c group by 2
  union all select 'failing', '', count(*), null from (select from hitl_session s
      where s.space = $1 and s.attempts >= ${MANY_ATTEMPTS} and least(s.due_at, s.wake_at) is not null
      limit ${MOST}) c
  union all select 'due', kind, count(*), min(at)::text from (
      select case when s.attempts > 0 then 'retry' when s.wake_at <= now() then 'left' else 'run' end as kind,
        floor(extract(epoch from ${GO_AT}) * 1000)::bigint as at
      from hitl_session s where s.holder is null and least(s.due_at, s.wake_at) is not null
        and ${GO_AT} <= now() and s.space = $1
      order by ${GO_AT} limit ${MOST}) d group by kind`;

/** The counts for a space, with the number of locked sessions of each status. */
export interface Counts {
  readonly tally: StoreTally;
  readonly heldOf: (state: string) => number;
}

/** Counts the contents of a space. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
export async function countsOfRows(database: Database, space: string): Promise<Counts> {
  const rows = await database.read('the sessions', TALLY, [
    space,
    INTERRUPT_KINDS.filter((kind) => kind !== 'question'),
    [...STATES],
    [...QUESTIONS],
  ]);
  const of = (what: string, name: string): SqlRow | undefined =>
    rows.find((row) => textIn(row, 'what') === what && textIn(row, 'name') === name);
  const number = (what: string, name = ''): number => {
    const row = of(what, name);
    return row === undefined ? 0 : numberIn(row, 'n');
  };
  const counted = <Name extends string>(what: string, names: readonly Name[]): readonly Counted<Name>[] =>
    names.map((name) => {
      const row = of(what, name);
      const oldest = momentOf(row?.['oldest']);
      return { name, count: number(what, name), ...(oldest !== undefined && { oldest }) };
    });
  const held = rows.filter((row) => textIn(row, 'what') === 'held');
  const tally = {
    open: counted('open', KINDS),
    sessions: counted('state', STATES),
    held: held.reduce((sum, row) => sum + numberIn(row, 'n'), 0),
    due: counted('due', DUE),
    failing: number('failing'),
  };
  return { tally, heldOf: (state) => number('held', state) };
}

/**
 * Parses the time in a column, which is either the timestamp of a record or a number of milliseconds;
 * `undefined` if it is invalid.
 */
function momentOf(text: SqlRow[string]): number | undefined {
  if (typeof text !== 'string') return undefined;
  const at = /^\d+$/u.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(at) ? at : undefined;
}
