// A fleet behind pgbouncer in transaction mode, which shares the connections of the server: answers each question twice
// at the same time while workers are killed, lines cut, and pooler and server ended and started again; locks go to the
// server itself. And what starts without an address for locks is refused:
//   npm run fleet:pooler -- --questions 200 --workers 4
// The program is that of PGBOUNCER, or of the system; without it the status is 77, as of a test that was skipped.
import { parseArgs } from 'node:util';

import { pgDriver } from '../../sessions/postgres/index.js';
import { isHitlError } from '../../src/core/index.js';
import { pgbouncer, startPooler } from '../../tools/servers/pooler.mjs';
import { pg, startServer } from '../../tools/servers/server.mjs';
import { storeAt } from './parts.js';
import { say, trial } from './trial.js';

const SKIPPED = 77;

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '200' },
    workers: { type: 'string', default: '4' },
    /** Connections of the server that the pooler lends. */
    size: { type: 'string', default: '6' },
  },
});

if (pgbouncer === undefined) {
  say('skipped: pgbouncer is not here; apt-get install pgbouncer, or name the program: PGBOUNCER');
  process.exit(SKIPPED);
}

const server = await startServer();
const pooler = await startPooler({ to: server.url, mode: 'transaction', size: Number(values.size) });
const direct = pgDriver(pg, server.url);

/** The error with which a process is refused that has no address for locks, and the tables that it made. */
async function refused(): Promise<{ readonly code: string; readonly said: string; readonly tables: number }> {
  const store = storeAt(pooler.url);
  const thrown: unknown = await store.listCount().catch((error: unknown) => error);
  await store.close();
  const { length: tables } = await direct.query(`select from pg_tables where tablename like 'hitl%'`);
  return isHitlError(thrown)
    ? { code: thrown.code, said: `${thrown.message}; ${thrown.hint ?? ''}`, tables }
    : { code: 'none', said: String(thrown), tables };
}

const refusal = await refused();
say(`without an address for locks: ${refusal.code}: ${refusal.said}`);
const isRefused = refusal.code === 'BAD_CONFIG' && refusal.tables === 0;
process.env['HITL_STORE_LOCKS'] = server.url;
const from = performance.now();
const { violations, others } = await trial({
  ...{ name: 'pooler', faults: ['kill', 'cut'], server, url: pooler.url },
  questions: Number(values.questions),
  size: Number(values.workers),
  midway: async () => {
    await pooler.restart();
    await pooler.crash();
    await server.restart();
  },
});
const took = ((performance.now() - from) / 1_000).toFixed(0);
await direct.close();
await pooler.stop();
await server.stop();
const { stranded = 0, ...rest } = violations;
const wrong = Object.values(rest).reduce((sum, count) => sum + count, 0);
say(
  `pooler: ${JSON.stringify({ ...others, poolerRestarts: 2, serverRestarts: 1 })} ${JSON.stringify(violations)} ${took} s`,
);
say(
  `${String(others['questions'])} questions, ${isRefused ? 'refused in words without an address for locks' : 'NOT REFUSED without an address for locks'}, ${wrong} violations, ${stranded} stranded`,
);
process.exit(isRefused && wrong + stranded === 0 ? 0 : 1);
