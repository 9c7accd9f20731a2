// What many paused sessions cost: `npm run fleet:paused -- --sessions 100000`. One is run; the others are its rows. With
// `--agent program` it is one of the built program, with the tools that are built in: `npm run build` first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { openChat, systemClock } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { pg, startServer } from '../../tools/servers/server.mjs';
import { pgDriver } from '../../sessions/postgres/index.js';
import { payTools, storeAt } from './parts.js';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100000' },
    /** `small`: one tool, by the library. `program`: the tools of the command line. */
    agent: { type: 'string', default: 'small' },
  },
});
const sessions = Number(values.sessions);
const PAGE = 50;
const TRIES = 300;
const IDLE_MS = 10_000;
const FIRST_LOOK_MS = 5_000;

const server = await startServer();
const store = storeAt(server.url);
const sql = pgDriver(pg, server.url);
if (values.agent === 'program') askByProgram();
else await askByLibrary();

async function askByLibrary(): Promise<void> {
  const model = scriptedModel([{ tools: [{ name: 'pay', input: { n: 1 } }] }]);
  const chat = await openChat({ store, model, tools: payTools('/dev/null').slice(0, 1) });
  await chat.say('pay 1');
  await chat.close();
}

/** A transfer that waits for a yes, as `hitl chat` leaves it. */
function askByProgram(): void {
  const root = path.join(import.meta.dirname, '../..');
  const home = mkdtempSync(path.join(os.tmpdir(), 'hitl-paused-'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'dist/bin/hitl.js'), 'chat', '--model', 'demo'],
    {
      input: 'Transfer 200 to ABC123\n',
      cwd: home,
      env: {
        ...{ PATH: process.env['PATH'] ?? '', HOME: home, HITL_HOME: home },
        HITL_STORE: server.url,
      },
      encoding: 'utf8',
    },
  );
  rmSync(home, { recursive: true, force: true });
  if (status !== 3) throw new Error(`nothing waits: ${stderr}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const columns = `space, version, prev, fence, status, title, words, turns, waiting, created_at, packing`;
await sql.query(
  `insert into hitl_session (id, updated_at, ${columns})
   select 'c' || lpad(i::text, 15, '0'), to_char(timestamp '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${columns}
   from hitl_session, generate_series(2, $1::int) i`,
  [sessions],
);
await sql.query(
  `insert into hitl_event (sid, seq, line, resolves, packed, cut)
   select s.sid, e.seq, e.line, e.resolves, e.packed, e.cut
   from hitl_session s, hitl_event e where s.id like 'c%' and e.sid = 1`,
);
await sql.query(
  `insert into hitl_open (sid, interrupt, number, space, session, kind, tool, raised_at, body, packed, digest)
   select s.sid, o.interrupt, o.number, o.space, s.id, o.kind, o.tool, s.updated_at, o.body, o.packed, o.digest
   from hitl_session s, hitl_open o where s.id like 'c%' and o.sid = 1`,
);
await sql.query('vacuum analyze');

const sizes = await sql.query(
  `select relname, pg_total_relation_size(oid) as bytes, pg_indexes_size(oid) as indexes from pg_class
   where relname in ('hitl_session', 'hitl_event', 'hitl_open', 'hitl_text') order by relname`,
);
const each = (bytes: unknown): number => Math.round(Number(bytes) / sessions);
const parts = sizes.map(
  ({ relname, bytes, indexes }) => `${String(relname)} ${each(bytes)}, of which indexes ${each(indexes)}`,
);
const all = sizes.reduce((sum, { bytes }) => sum + Number(bytes), 0);
say(`${sessions} paused sessions: ${each(all)} bytes each (${parts.join('; ')})`);

async function counted(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const item of items) if (item !== undefined) count += 1;
  return count;
}

async function timed(what: string, act: () => Promise<void>): Promise<void> {
  const times: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const from = performance.now();
    await act();
    times.push(performance.now() - from);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  say(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

await timed(`inbox, the oldest ${PAGE}`, async () => {
  await counted(store.waiting({ limit: PAGE }));
});
await timed(`list, the newest ${PAGE}`, async () => {
  await counted(store.list({ limit: PAGE }));
});
const stop = new AbortController();
const before = process.cpuUsage();
const claiming = store.capabilities.worklist?.claim(stop.signal);
await systemClock.sleep(IDLE_MS, new AbortController().signal);
stop.abort();
await claiming;
const { user, system } = process.cpuUsage(before);
say(
  `an idle worker: ${((user + system) / 1000 / (IDLE_MS / 1000)).toFixed(1)} ms of processor time a second`,
);

const watched = new AbortController();
const watching = counted(store.watch(watched.signal));
await systemClock.sleep(FIRST_LOOK_MS, new AbortController().signal);
const read = process.cpuUsage();
await systemClock.sleep(IDLE_MS, new AbortController().signal);
const looked = process.cpuUsage(read);
watched.abort();
await watching;
say(
  `a watch: ${((looked.user + looked.system) / 1000 / (IDLE_MS / 1000)).toFixed(1)} ms of processor time a second`,
);
await store.close();
await sql.close();
await server.stop();
