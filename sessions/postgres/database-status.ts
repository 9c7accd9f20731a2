import type { FailingSession, StoreStatus, Workers, Worklist } from '../../src/core/index.js';
import { isoTime } from '../../src/core/index.js';
import { numberIn } from './driver/sql-driver.js';
import type { OpeningWorld } from './opening.js';
import type { Counts } from './tally-rows.js';
import { countsOfRows, MOST } from './tally-rows.js';

/** Maximum number of failing sessions to list individually. */
const MOST_FAILING = 5;

const SCHEMA = 'select version, reads_from from hitl_version order by version desc limit 1';

/** Returns the status of a database, with the number of its sessions and its workers. */
export async function statusOfRows(
  { database, clock, space }: OpeningWorld,
  { workers, worklist }: { readonly workers: Workers; readonly worklist: Worklist },
): Promise<StoreStatus> {
  const counts = await countsOfRows(database, space);
  const { open, due, failing } = counts.tally;
  const oldest = due.flatMap((one) => one.oldest ?? []).sort((one, other) => one - other)[0];
  const [schema] = await database.read('the schema', SCHEMA);
  return {
    sessions: sessionsIn(counts),
    open: open
      .filter(({ count }) => count > 0)
      .map(({ name, count, oldest: at }) => ({
        ...{ kind: name, questions: count },
        oldest: at === undefined ? '' : isoTime(at),
      }))
      .sort((one, other) => other.questions - one.questions),
    due: {
      sessions: due.reduce((sum, { count }) => sum + count, 0),
      ...(oldest !== undefined && { oldest: isoTime(oldest) }),
    },
    failing: { sessions: failing, first: failing === 0 ? [] : await firstOf(worklist.failing()) },
    unserved: await workers.unserved(),
    workers: await workers.alive(),
    ...(schema !== undefined && {
      schema: { version: numberIn(schema, 'version'), readsFrom: numberIn(schema, 'reads_from') },
    }),
    clockAheadMs: (clock.basis ?? clock).now() - clock.now(),
  };
}

/**
 * Returns the number of sessions by the status shown in lists. Locked sessions are running, except those
 * waiting for a person. Locked sessions are not subtracted from a count that reached the maximum.
 */
function sessionsIn({ tally, heldOf }: Counts): StoreStatus['sessions'] {
  const running = tally.held - heldOf('waiting');
  const others = tally.sessions.map(({ name, count }) => {
    const isFull = name === 'waiting' || count >= MOST;
    return [name, isFull ? count : Math.max(0, count - heldOf(name))] as const;
  });
  return Object.fromEntries([['running', running] as const, ...others].filter(([, count]) => count > 0));
}

async function firstOf(failing: AsyncIterable<FailingSession>): Promise<readonly FailingSession[]> {
  const first: FailingSession[] = [];
  for await (const one of failing) if (first.push(one) === MOST_FAILING) break;
  return first;
}
