// What each statement of the store reads, among ever more paused sessions, as the server counts it:
//   npm run fleet:buffers
//   npm run fleet:buffers -- --sizes 200,2000 --idle 0
// The statements are those that the store asks; each is explained, taken back, and then done.
import { randomBytes } from 'node:crypto';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { changeRows } from '../../sessions/postgres/change-rows.js';
import { Database } from '../../sessions/postgres/database.js';
import type { Sql, SqlDriver, SqlParameter } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import type { Session, SessionId, SessionStatus, SessionSummary, WaitingItem } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import { openChat, systemClock } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { pg, startServer } from '../../tools/servers/server.mjs';
import { payTools, storeAt } from './parts.js';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,50000' },
    /** Seconds for which 20 workers are watched that have nothing to do. */
    idle: { type: 'string', default: '20' },
    /** Each statement with what it reads. */
    verbose: { type: 'boolean', default: false },
  },
});
const SIZES = values.sizes.split(',').map(Number);
const IDLE_S = Number(values.idle);
const MOST_RATIO = 1.3;
const PAGE = 50;
/** Of all tries the least counts: what was left to be cleaned up is in the others. */
const TRIES = 3;
const WORKERS = 20;
/** The sessions that are unlike the others, of each kind, however many there are. */
const RARE = 3;
const SPACE = 'default';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What an operation read, and how often it went down an index: each may have grown by a level. */
interface Reads {
  readonly statements: readonly { readonly text: string; readonly buffers: number }[];
  readonly descents: number;
}

/** Explains each statement that it is asked, before it is done. */
class Explaining {
  #statements: { readonly text: string; readonly buffers: number }[] = [];
  #descents = 0;

  driver(driver: SqlDriver): SqlDriver {
    return {
      ...driver,
      query: (text, parameters) => driver.transaction((sql) => this.#explained(sql, text, parameters)),
      transaction: (act) =>
        driver.transaction((sql) =>
          act({ query: (text, parameters) => this.#explained(sql, text, parameters) }),
        ),
    };
  }

  /** What was read since the last time. */
  taken(): Reads {
    const taken = { statements: this.#statements, descents: this.#descents };
    this.#statements = [];
    this.#descents = 0;
    return taken;
  }

  async #explained(sql: Sql, text: string, parameters: readonly SqlParameter[] = []) {
    if (/^\s*(?:select|with|insert|update|delete)\b/i.test(text)) {
      await sql.query('savepoint before_it');
      const [row] = await sql.query(`explain (analyze, buffers, format json) ${text}`, parameters);
      await sql.query('rollback to savepoint before_it');
      const plan: unknown = row?.['QUERY PLAN'];
      const top: unknown = Array.isArray(plan) ? plan[0] : undefined;
      if (!isObject(top) || !isObject(top['Plan'])) throw new Error(`no plan for ${text}`);
      const { Plan } = top;
      this.#statements.push({
        text: text.replaceAll(/\s+/g, ' ').trim(),
        buffers: Number(Plan['Shared Hit Blocks']) + Number(Plan['Shared Read Blocks']),
      });
      this.#descents += descentsOf(Plan);
    }
    return sql.query(text, parameters);
  }
}

/** How often a plan goes down an index. */
function descentsOf(plan: Readonly<Record<string, unknown>>): number {
  const parts = Array.isArray(plan['Plans']) ? plan['Plans'].filter(isObject) : [];
  const own = 'Index Name' in plan ? Number(plan['Actual Loops']) : 0;
  return parts.reduce((sum, part) => sum + descentsOf(part), own);
}

const server = await startServer();
const sql = pgDriver(pg, server.url);
const plain = storeAt(server.url);
const model = scriptedModel([{ tools: [{ name: 'pay', input: { n: 1 } }] }]);
const chat = await openChat({ store: plain, model, tools: payTools('/dev/null').slice(0, 1) });
await chat.say('pay 1');
await chat.close();

const COLUMNS = 'space, packing, version, prev, fence, status, title, words, turns, waiting, created_at';

/** Copies the first session until there are so many. */
async function fillTo(from: number, to: number): Promise<void> {
  await sql.query(
    `insert into hitl_session (id, updated_at, ${COLUMNS})
     select 'c' || lpad(i::text, 15, '0'), to_char(timestamp '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${COLUMNS}
     from hitl_session, generate_series($1::int, $2::int) i where sid = 1`,
    [from + 1, to],
  );
  const copies = `s.sid > 1 and not exists (select from hitl_event e where e.sid = s.sid)`;
  await sql.query(
    `insert into hitl_open (sid, interrupt, number, space, session, kind, tool, raised_at, body, packed, digest)
     select s.sid, o.interrupt, o.number, o.space, s.id, o.kind, o.tool, s.updated_at,
       replace(o.body, o.raised_at, s.updated_at), o.packed, o.digest
     from hitl_session s, hitl_open o where ${copies} and o.sid = 1`,
  );
  await sql.query(
    `insert into hitl_event (sid, seq, line, resolves, packed, cut)
     select s.sid, e.seq, e.line, e.resolves, e.packed, e.cut
     from hitl_session s, hitl_event e where ${copies} and e.sid = 1`,
  );
}

/** A few sessions in the middle of all that are unlike the others. */
async function makeRare(): Promise<void> {
  const some = (at: number): string =>
    `(select sid from hitl_session where id like 'c%' order by id offset ${at} limit ${RARE})`;
  await sql.query(
    `update hitl_session set status = 'failed', waiting = 0, attempts = 9 where sid in ${some(20)}`,
  );
  await sql.query(
    `insert into hitl_mail (sid, line) select sid, '{}' from hitl_session where status = 'failed'`,
  );
  await sql.query(`update hitl_session set status = 'interrupted' where sid in ${some(30)}`);
  await sql.query(`update hitl_open set tool = 'rare' where sid in ${some(40)}`);
  await sql.query(`update hitl_open set kind = 'in-doubt' where sid in ${some(50)}`);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('nothing was found');
  return item;
}

/** What is done to learn what it reads. */
interface Operation {
  readonly name: string;
  /** Counts all there are, which is what it is asked for: its growth is told, and not judged. */
  readonly isWhole?: boolean;
  /** @param nth of the tries */
  readonly act: (nth: number) => Promise<unknown>;
}

const explaining = new Explaining();
const driver = explaining.driver(pgDriver(pg, server.url));
const store = createPostgresStore({ connection: driver, clock: systemClock, random: randomBytes });
const database = new Database(driver, systemClock, () => Promise.resolve());

/** What a worker has once it has looked once. */
async function claimed({ capabilities: { worklist } } = store): Promise<Session | undefined> {
  const stop = new AbortController();
  return worklist?.claim(stop.signal, {
    looked: () => {
      stop.abort();
    },
  });
}

/** A session of the middle that others did not touch. */
async function middle(nth: number): Promise<SessionId> {
  const rows = await sql.query(
    `select id from hitl_session where id like 'c%' order by id offset (select count(*) / 2 + $1::int from hitl_session) limit 1`,
    [nth],
  );
  return checkSessionId(String(first(rows)['id']));
}

function operations(): readonly Operation[] {
  const summary = async (nth: number): Promise<Pick<SessionSummary, 'id' | 'updatedAt'>> => {
    const id = await middle(nth);
    const [row] = await sql.query('select updated_at from hitl_session where id = $1', [id]);
    return { id, updatedAt: String(row?.['updated_at']) };
  };
  const question = async (nth: number): Promise<WaitingItem> =>
    first(await all(plain.waiting({ sessions: [await middle(nth)] })));
  const list = (status: SessionStatus) => () => all(store.list({ status, limit: PAGE }));
  let mark: string | undefined;
  const changes = changeRows(database, SPACE);
  return [
    { name: 'claim, nothing is due', act: () => claimed() },
    {
      name: 'claim, one is due; run, let go',
      act: async (nth) => {
        await sql.query('update hitl_session set due_at = now() where id = $1', [await middle(nth)]);
        explaining.taken();
        const session = await claimed();
        if (session === undefined) throw new Error('nothing was claimed');
        await store.capabilities.worklist?.rest(session);
        await session[Symbol.asyncDispose]();
      },
    },
    { name: `list, the newest ${PAGE}`, act: () => all(store.list({ limit: PAGE })) },
    {
      name: `list, ${PAGE} from the middle`,
      act: async (nth) => all(store.list({ limit: PAGE, before: await summary(nth) })),
    },
    { name: 'list of a rare status (failed)', act: list('failed') },
    { name: 'list of what stopped (interrupted)', act: list('interrupted') },
    { name: 'list of what runs', act: list('running') },
    { name: 'list, a status without any', act: list('done') },
    { name: 'beginning of an id', act: async (nth) => store.resolve(await middle(nth)) },
    { name: `inbox, the oldest ${PAGE}`, act: () => all(store.waiting({ limit: PAGE })) },
    {
      name: `inbox, ${PAGE} from the middle`,
      act: async (nth) => all(store.waiting({ limit: PAGE, after: await question(nth) })),
    },
    { name: 'inbox of a rare tool', act: () => all(store.waiting({ tool: 'rare', limit: PAGE })) },
    {
      name: 'inbox of a tool without questions',
      act: () => all(store.waiting({ tool: 'none', limit: PAGE })),
    },
    { name: 'inbox of a rare kind', act: () => all(store.waiting({ kind: 'in-doubt', limit: PAGE })) },
    {
      name: 'what one session asks',
      act: async (nth) => all(store.waiting({ sessions: [await middle(nth)] })),
    },
    {
      name: 'watch, nothing happened',
      act: async () => {
        ({ mark } = await changes.since(undefined));
        explaining.taken();
        ({ mark } = await changes.since(mark));
      },
    },
    {
      name: 'watch, one changed',
      act: async (nth) => {
        ({ mark } = await changes.since(undefined));
        const id = await middle(nth);
        for (const by of [1, -1])
          // it is as it was then
          await sql.query('update hitl_session set waiting = waiting + $2 where id = $1', [id, by]);
        explaining.taken();
        ({ mark } = await changes.since(mark));
      },
    },
    { name: 'open to read', act: async (nth) => store.open(await middle(nth), 'read') },
    { name: 'is it written', act: async (nth) => store.isWritten(await middle(nth)) },
    {
      name: 'answer that is recorded',
      act: async (nth) => {
        const { session, interrupt } = await question(10 + nth);
        explaining.taken();
        await store.post(session, {
          id: interrupt.id,
          digest: interrupt.digest,
          resolution: { action: 'cancel', reason: 'no' },
          by: { type: 'person', name: 'ann', via: 'library' },
        });
        const taken = explaining.taken();
        await sql.query(`update hitl_session set due_at = null, status = 'waiting' where id = $1`, [session]);
        return taken;
      },
    },
    {
      name: 'session begun and removed',
      act: async () => {
        const begun = first(await all(plain.list({ limit: 1 })));
        const agent = (await plain.open(begun.id, 'read')).state.agent;
        if (agent === undefined) throw new Error('it has no agent');
        const session = await store.create({ agent });
        await session[Symbol.asyncDispose]();
        await store.remove(session.id);
      },
    },
    {
      name: 'worker that begins',
      act: async () => {
        const begun = createPostgresStore({ connection: driver, clock: systemClock, random: randomBytes });
        await all(begun.capabilities.worklist?.failing() ?? nothing());
        await claimed(begun);
        await begun.close();
      },
    },
    { name: 'all questions counted', isWhole: true, act: () => store.waitingCount() },
    { name: 'all sessions counted', isWhole: true, act: () => store.listCount() },
    {
      name: 'search without a hit',
      isWhole: true,
      act: () => all(store.list({ search: 'nothing like it', limit: PAGE })),
    },
  ];
}

async function* nothing(): AsyncGenerator<never> {
  // there is none
}

function isReads(value: unknown): value is Reads {
  return isObject(value) && 'descents' in value;
}

/** The least that an operation reads. */
async function readsOf({ act }: Operation): Promise<Reads> {
  let least: Reads | undefined;
  for (let nth = 0; nth < TRIES; nth += 1) {
    explaining.taken();
    const own = await act(nth);
    const reads = isReads(own) ? own : explaining.taken();
    if (least === undefined || buffersOf(reads) < buffersOf(least)) least = reads;
  }
  if (least === undefined) throw new Error('it was not tried');
  return least;
}

function buffersOf({ statements }: Reads): number {
  return statements.reduce((sum, { buffers }) => sum + buffers, 0);
}

async function bytesEach(sessions: number): Promise<string> {
  const sizes = await sql.query(
    `select relname, pg_total_relation_size(oid) as bytes from pg_class
     where relname in ('hitl_session', 'hitl_event', 'hitl_open') order by relname`,
  );
  const parts = sizes.map(({ relname, bytes }) => [String(relname), Number(bytes) / sessions] as const);
  const sum = parts.reduce((total, [, bytes]) => total + bytes, 0);
  return `${sum.toFixed(0)} bytes a paused session (${parts.map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`).join(', ')})`;
}

/** The statements a second of workers that have nothing to do, as the server counts transactions. */
async function idleStatements(): Promise<number> {
  const stores = Array.from({ length: WORKERS }, () => storeAt(server.url));
  const stop = new AbortController();
  const claims = stores.map(async (one) => one.capabilities.worklist?.claim(stop.signal));
  const count = async (): Promise<number> => {
    const [row] = await sql.query(
      'select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()',
    );
    return Number(row?.['n']);
  };
  await passing(5_000); // they have connected, and looked for the first time
  const before = await count();
  await passing(IDLE_S * 1_000);
  const after = await count();
  stop.abort();
  await Promise.all(claims);
  for (const one of stores) await one.close();
  return (after - before) / IDLE_S;
}

const found = new Map<string, Reads[]>();
const tried = operations();
await store.list({ limit: 1 })[Symbol.asyncIterator]().next();
await claimed(); // what is done once in the life of a worker
let bytes = '';
for (const [index, size] of SIZES.entries()) {
  await fillTo(index === 0 ? 1 : (SIZES[index - 1] ?? 1), size);
  if (index === 0) await makeRare();
  await sql.query('truncate hitl_change');
  await sql.query('vacuum analyze');
  bytes = await bytesEach(size);
  for (const operation of tried) {
    await passing(1_000 / 3); // the chore of one of all is done once a second, and is a part of some
    const reads = await readsOf(operation);
    found.set(operation.name, [...(found.get(operation.name) ?? []), reads]);
    if (!values.verbose) continue;
    for (const { text, buffers } of reads.statements) say(`${size} ${operation.name}: ${buffers}  ${text}`);
  }
}

say(`| shared buffers read | ${SIZES.map((size) => size.toLocaleString('en-US')).join(' | ')} | ratio | |`);
say(`| --- | ${SIZES.map(() => '--:').join(' | ')} | --: | --- |`);
let tooMuch = 0;
for (const { name, isWhole = false } of tried) {
  const reads = found.get(name) ?? [];
  const counts = reads.map(buffersOf);
  const [least = 0, most = 0] = [counts[0], counts.at(-1)];
  const ratio = most / Math.max(1, least);
  const levels = reads.at(-1)?.descents ?? 0;
  const isFine = ratio <= MOST_RATIO || most - least <= levels;
  const verdict = isWhole
    ? 'counts all'
    : !isFine
      ? 'too much'
      : ratio <= MOST_RATIO
        ? ''
        : 'levels of indexes';
  if (!isWhole && !isFine) tooMuch += 1;
  say(`| ${name} | ${counts.join(' | ')} | ${ratio.toFixed(2)} | ${verdict} |`);
}
say(bytes);
if (IDLE_S > 0)
  say(`${(await idleStatements()).toFixed(1)} statements a second of ${WORKERS} workers with nothing to do`);
say(
  tooMuch === 0
    ? `each reads at most ${MOST_RATIO} times as much, or a level of an index more`
    : `${tooMuch} read too much`,
);
await store.close();
await plain.close();
await driver.close();
await sql.close();
await server.stop();
process.exit(tooMuch === 0 ? 0 : 1);
