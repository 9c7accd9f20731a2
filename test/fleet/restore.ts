// A dump that is restored, a base backup that is promoted, and a standby that takes over, with payments under way:
//   npm run build && npm run fleet:restore
//   npm run fleet:restore -- --payments 4 --answers 30
// The commands are those that docs/guides/backup.md shows.
// The programs of PostgreSQL are those of POSTGRES_BIN, or of the packages of Debian.
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { pgDriver } from '../../sessions/postgres/index.js';
import type { PostgresStore } from '../../sessions/postgres/index.js';
import type { Interrupt, SessionId } from '../../src/core/index.js';
import { isHitlError } from '../../src/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { pg, startServer } from '../../tools/servers/server.mjs';
import { bundledWorker, storeAt } from './parts.js';
import { askInChat } from './people.js';
import type { Line } from './proxy.js';
import { lineTo } from './proxy.js';

const NEEDED = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];
const DEBIAN = '/usr/lib/postgresql';
const AT_ONCE = 8;
const WORKERS = 3;
const LOOK_MS = 100;
const PATIENCE_MS = 120_000;
/** A worker that has nothing to do has looked many times by then. */
const IDLE_MS = 5_000;

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '20' },
    answers: { type: 'string', default: '120' },
  },
});
const PAYMENTS = Number(values.payments);
const UNDER_LOAD = Number(values.answers);
const root = path.join(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'docs/guides/backup.md'), 'utf8');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The folder of the programs; `undefined` where some are not here. */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const known = versions
    .toSorted((a, b) => b - a)
    .map((version) => path.join(DEBIAN, String(version), 'bin'));
  return [process.env['POSTGRES_BIN'] ?? [], ...known]
    .flat()
    .find((folder) => NEEDED.every((name) => existsSync(path.join(folder, name))));
}

const found = programs();
if (found === undefined) {
  say(
    `skipped: ${NEEDED.join(', ')} are not here; apt-get install postgresql, or name their folder: POSTGRES_BIN`,
  );
  process.exit(0);
}
const bin = found;
process.env['POSTGRES_BIN'] = bin;
const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-restore-'));
const script = await bundledWorker();
const program = path.join(folder, 'hitl');
writeFileSync(
  program,
  `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'dist/bin/hitl.js')}' "$@"\n`,
);
chmodSync(program, 0o755);

/** Payments of one trial, as their effects say. */
class Payments {
  readonly file: string;
  readonly #workers = new Set<ChildProcess>();

  constructor(name: string) {
    this.file = path.join(folder, name);
    writeFileSync(this.file, '');
  }

  get made(): readonly number[] {
    return readFileSync(this.file, 'utf8').split('\n').filter(Boolean).map(Number);
  }

  get twice(): number {
    return this.made.length - new Set(this.made).size;
  }

  /** Begins workers on a database. */
  work(url: string, count = 1): void {
    for (let made = 0; made < count; made += 1)
      this.#workers.add(
        spawn(process.execPath, [script, url, this.file], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
      );
  }

  rest(): void {
    for (const worker of this.#workers) worker.kill('SIGKILL');
    this.#workers.clear();
  }
}

interface Asked {
  readonly id: SessionId;
  readonly question: Interrupt;
  readonly n: number;
}

async function asking(store: PostgresStore, payments: Payments, count: number): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (let n = 1; n <= count; n += 1) {
    const { id, questions } = await askInChat(store, { kind: 'one', n }, payments.file);
    asked.push(...questions.map((question) => ({ id, question, n })));
  }
  return asked;
}

/** Says yes, again and again until the database took it. @returns how often it had to be said again */
async function approve(store: PostgresStore, { id, question }: Asked): Promise<number> {
  const by = { type: 'person', name: 'ann', via: 'library' } as const;
  const answer = { id: question.id, digest: question.digest, resolution: { action: 'restart' }, by } as const;
  const from = performance.now();
  for (let again = 0; ; again += 1) {
    try {
      await store.post(id, answer, { receipt: `ann-${id}` });
      return again;
    } catch (thrown) {
      if (!isHitlError(thrown) || performance.now() - from > PATIENCE_MS) throw thrown;
      await passing(LOOK_MS);
    }
  }
}

/** Says of everything that is in doubt that it happened. */
async function settle(store: PostgresStore): Promise<void> {
  for await (const { session, interrupt } of store.waiting({ kind: 'in-doubt' }))
    await store.post(session, {
      ...{ id: interrupt.id, digest: interrupt.digest, by: { type: 'person', name: 'ann', via: 'library' } },
      resolution: { action: 'respond', output: 'paid' },
    });
}

async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  const from = performance.now();
  while (!(await look())) {
    if (performance.now() - from > PATIENCE_MS) throw new Error(`it never came: ${what}`);
    await passing(LOOK_MS);
  }
}

async function doubts(store: PostgresStore): Promise<number> {
  return store.waitingCount({ kind: 'in-doubt' });
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a line of a shell for a database, as a person does. */
async function shell(url: string, line: string): Promise<Said> {
  const env = {
    PATH: [folder, bin, process.env['PATH'] ?? ''].join(path.delimiter),
    HOME: folder,
    HITL_HOME: folder,
    HITL_STORE: url,
  };
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { env, cwd: folder }, (failed, stdout, stderr) => {
      resolve({ stdout, stderr: failed === null ? stderr : `failed: ${stderr}` });
    });
  });
}

/** Runs the line that the guide shows and that begins so. */
async function shown(url: string, beginning: string): Promise<Said> {
  const line = guide.split('\n').find((text) => text.startsWith(beginning));
  if (line === undefined) throw new Error(`the guide shows no ${beginning}`);
  return shell(url, line);
}

interface Verdict {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly wrong: Readonly<Record<string, boolean>>;
}

/** Sessions that are approved, and run behind the backup. @param copy makes the place where the backup is, and what comes before it is restored */
async function backedUp(
  name: string,
  copy: (of: TestServer) => Promise<{ readonly server: TestServer; readonly told: () => Promise<boolean> }>,
): Promise<Verdict> {
  const payments = new Payments(name);
  const original = await startServer();
  const before = storeAt(original.url);
  const asked = await asking(before, payments, PAYMENTS + 5);
  for (const one of asked.slice(0, PAYMENTS)) await approve(before, one);
  const { server, told } = await copy(original);
  payments.work(original.url);
  await until('the payments', () => payments.made.length === PAYMENTS);
  payments.rest();
  await before.close();
  await original.stop();

  const wasTold = await told();
  const { stderr: said } = await shown(server.url, 'hitl store restored');
  payments.work(server.url);
  const store = storeAt(server.url);
  await until('the doubts', async () => (await doubts(store)) === PAYMENTS);
  await passing(IDLE_MS);
  const paidUntold = payments.made.length - PAYMENTS;
  const inDoubt = await doubts(store);
  await settle(store);
  for (const one of asked.slice(PAYMENTS)) await approve(store, one);
  await until('the end', async () => (await count(store, 'done')) === asked.length);
  payments.rest();
  await store.close();
  await server.stop();
  return {
    facts: { told: wasTold, inDoubt, payments: payments.made.length },
    wrong: {
      untold: !wasTold || paidUntold > 0 || inDoubt !== PAYMENTS,
      twice: payments.twice > 0,
      lost: payments.made.length !== asked.length,
      said: !said.includes(`${PAYMENTS} approved calls not started`) || said.startsWith('failed'),
    },
  };
}

async function count(store: PostgresStore, status: 'done'): Promise<number> {
  let sessions = 0;
  for await (const _one of store.list({ status })) sessions += 1;
  return sessions;
}

/** A dump, restored into another server: nothing goes on there before somebody says what it is. */
const dumped = (): Promise<Verdict> =>
  backedUp('dump', async (original) => {
    await shown(original.url, 'pg_dump');
    const server = await startServer();
    await shown(server.url, 'pg_restore');
    return {
      server,
      told: async () => {
        const idle = new Payments('idle');
        idle.work(server.url);
        await passing(IDLE_MS);
        idle.rest();
        const { stderr } = await shell(server.url, 'hitl resume --last --no-input');
        return idle.made.length === 0 && stderr.includes('this database is a copy');
      },
    };
  });

/** A base backup, which follows until it is promoted: the server is the same one for whoever asks, and says so. */
const promoted = (): Promise<Verdict> =>
  backedUp('base', async (original) => {
    const server = await startServer({ from: original.url, follows: true });
    await promote(server.url);
    return {
      server,
      told: async () => (await shell(server.url, 'hitl list')).stderr.includes('the database was promoted'),
    };
  });

async function promote(url: string): Promise<void> {
  const sql = pgDriver(pg, url);
  await sql.query('select pg_promote()');
  await until('the promotion', async () => {
    const [row] = await sql.query('select pg_is_in_recovery() as follows');
    return row?.['follows'] === false;
  });
  await sql.close();
}

/** Answers while the server fails, and its synchronous standby takes over behind the same address. */
async function failedOver(): Promise<Verdict> {
  const payments = new Payments('over');
  const primary = await startServer();
  const line = await lineTo(primary.url);
  const store = storeAt(line.url);
  const asked = await asking(store, payments, UNDER_LOAD);
  const standby = await startServer({ from: primary.url, follows: true });
  await followed(primary.url);
  payments.work(line.url, WORKERS);
  const rest = asked.values();
  let taken = 0;
  let again = 0;
  const over = until('a third of the answers', () => taken > UNDER_LOAD / 3).then(() =>
    takeOver(primary, standby, line),
  );
  const lane = async (): Promise<void> => {
    for (const one of rest) {
      again += await approve(store, one);
      taken += 1;
    }
  };
  await Promise.all([over, ...Array.from({ length: AT_ONCE }, lane)]);
  const sql = pgDriver(pg, line.url);
  await until('rest', async () => {
    const rows = await sql
      .query(
        `select s.sid from hitl_session s where s.holder is not null or s.wake_at is not null or s.due_at <= now()
           or exists (select from hitl_open o where o.sid = s.sid and o.kind <> 'in-doubt')`,
      )
      .catch(() => ['away']);
    return rows.length === 0;
  });
  await sql.close();
  payments.rest();
  const doubted = new Set<SessionId>();
  for await (const { session } of store.waiting({ kind: 'in-doubt' })) doubted.add(session);
  const made = new Set(payments.made);
  let resolvedTwice = 0;
  for (const one of asked) if (!(await isResolvedOnce(store, one))) resolvedTwice += 1;
  const seen = await store.capabilities.origin?.look();
  await shown(line.url, 'hitl store moved');
  const known = await store.capabilities.origin?.look();
  await store.close();
  await line.close();
  await standby.stop();
  return {
    facts: { answers: taken, again, payments: made.size, doubts: doubted.size, seen },
    wrong: {
      lost: asked.some(({ id, n }) => !made.has(n) && !doubted.has(id)),
      twice: payments.twice > 0,
      resolvedTwice: resolvedTwice > 0,
      untold: seen?.promoted === undefined || seen.isCopy || known?.promoted !== undefined,
    },
  };
}

async function isResolvedOnce(store: PostgresStore, { id, question }: Asked): Promise<boolean> {
  await using session = await store.open(id, 'read');
  const ours = session.state.resolved.toArray().filter(({ interrupt }) => interrupt.id === question.id);
  return ours.length === 1 && session.notices.length === 0;
}

/** Waits until what is confirmed is on the standby too. */
async function followed(url: string): Promise<void> {
  const sql = pgDriver(pg, url);
  await sql.query(`alter system set synchronous_standby_names = '*'`);
  await sql.query('select pg_reload_conf()');
  await until('the standby', async () => {
    const rows = await sql.query(`select pid from pg_stat_replication where sync_state = 'sync'`);
    return rows.length > 0;
  });
  await sql.close();
}

async function takeOver(primary: TestServer, standby: TestServer, line: Line): Promise<void> {
  await primary.fail();
  await promote(standby.url);
  line.move(standby.url);
  line.cut();
}

let violations = 0;
for (const [name, trial] of Object.entries({
  pg_dump: dumped,
  'base backup': promoted,
  'fail-over': failedOver,
})) {
  const from = performance.now();
  const { facts, wrong } = await trial();
  const took = ((performance.now() - from) / 1_000).toFixed(0);
  const faults = Object.entries(wrong).flatMap(([what, is]) => (is ? [what] : []));
  violations += faults.length;
  say(
    `${name}: ${JSON.stringify(facts)} ${faults.length === 0 ? 'right' : `WRONG: ${faults.join(', ')}`} ${took} s`,
  );
}
rmSync(folder, { recursive: true, force: true });
rmSync(script);
say(`restore: ${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
