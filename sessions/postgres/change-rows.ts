import type { SessionId } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import type { Database } from './database.js';
import type { SqlRow } from './driver/sql-driver.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import { listRows, statusIn } from './list-rows.js';
import { giveBack } from './presence.js';
import type { SeenSession, SessionChange, SessionChanges } from './watch-rows.js';

const COLUMNS = `c.n, c.session, c.was_status, c.was_waiting, c.was_updated, c.status, c.waiting, c.updated`;

/**
 * Selects changes by transactions that were not visible to the snapshot `$2`: transactions that were in
 * progress at that time, and later ones. The upper bound excludes transaction numbers from another server,
 * which copied tables may contain.
 */
const SINCE = `select pg_current_snapshot()::text as mark, x.*
  from (values (1)) one left join lateral (
    select ${COLUMNS} from hitl_change c where c.space = $1
      and c.xid >= pg_snapshot_xmax($2::text::pg_snapshot) and c.xid < pg_snapshot_xmax(pg_current_snapshot())
    union all
    select ${COLUMNS} from pg_snapshot_xip($2::text::pg_snapshot) p (xid) join hitl_change c
      on c.space = $1 and c.xid = p.xid) x on true
  order by x.n`;

/** Returns the source of session changes in a space, for watching. */
export function changeRows(database: Database, space: string): SessionChanges {
  return {
    async since(mark) {
      await giveBack(database).catch(() => false); // the end of a lease that nobody gives back is a change, too
      const rows = await database.read('the sessions', SINCE, [space, mark ?? null]);
      const [first] = rows;
      if (first === undefined) throw new TypeError('the database returned no snapshot');
      return {
        mark: textIn(first, 'mark'),
        changes: rows.filter(({ n }) => n !== null).map(changeIn),
      };
    },
    async *writtenSince(at) {
      for await (const { id, updatedAt } of listRows(database, space, {})) {
        if (updatedAt < at) return;
        yield id;
      }
    },
  };
}

function changeIn(row: SqlRow): SessionChange {
  const session: SessionId = checkSessionId(textIn(row, 'session'));
  const before = seenIn(row, 'was_');
  const after = seenIn(row, '');
  return { session, ...(before && { before }), ...(after && { after }) };
}

function seenIn(row: SqlRow, prefix: 'was_' | ''): SeenSession | undefined {
  if (row[`${prefix}status`] === null) return undefined;
  return {
    status: statusIn(row, `${prefix}status`),
    waiting: numberIn(row, `${prefix}waiting`),
    updatedAt: textIn(row, `${prefix}updated`),
  };
}
