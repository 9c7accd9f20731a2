// Two releases on one database: people and workers of an older one beside those of this one, while workers are killed;
// then `hitl store upgrade` while a worker of the older one runs. The older one is an unpacked package that is built and
// has its dependencies:
//   npm run build && npm run fleet:releases -- --old ../hitl-0.2.0 --questions 200
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { pgDriver } from '../../sessions/postgres/index.js';
import { pg, startServer } from '../../tools/servers/server.mjs';
import { Fleet } from './faults.js';
import { judged, unrested } from './judging.js';
import { bundled, storeAt } from './parts.js';
import type { Asked, Errand } from './people.js';
import { all, PEOPLE, RETRY_MS } from './people.js';

/** A fleet comes to rest within this time, also behind the pauses of an older worker. */
const PATIENCE_MS = 420_000;
const root = path.join(import.meta.dirname, '../..');

const { values } = parseArgs({
  options: {
    /** The folder of the older package. Default: `HITL_OLD`. */
    old: { type: 'string', default: process.env['HITL_OLD'] ?? '' },
    questions: { type: 'string', default: '200' },
    /** Workers of each release. */
    workers: { type: 'string', default: '2' },
  },
});
if (values.old === '') throw new Error('name the folder of an older package: --old <folder>, or HITL_OLD');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isAsked(told: unknown): told is Asked {
  return typeof told === 'object' && told !== null && 'id' in told && 'questions' in told;
}

/** A person of one release, in a process of its own. */
class Person {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    (told: { readonly result?: unknown; readonly failed?: string }) => void
  >();
  #errands = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on(
      'message',
      (told: { readonly number?: number; readonly result?: unknown; readonly failed?: string }) => {
        if (told.number !== undefined) this.#waiting.get(told.number)?.(told);
      },
    );
  }

  static async of(script: string, url: string, effects: string): Promise<Person> {
    const child = spawn(process.execPath, [script, url, effects], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return new Person(child);
  }

  async ask(n: number): Promise<Asked> {
    const begun = await this.#does({ type: 'ask', n });
    if (!isAsked(begun)) throw new Error(`nothing was asked: ${JSON.stringify(begun)}`);
    return begun;
  }

  async answers(session: Asked['id'], question: Asked['questions'][number], name: string): Promise<string> {
    return String(await this.#does({ type: 'answer', session, question, name }));
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  async #does(errand: Unnumbered): Promise<unknown> {
    const number = (this.#errands += 1);
    const told = await new Promise<{ readonly result?: unknown; readonly failed?: string }>((resolve) => {
      this.#waiting.set(number, resolve);
      this.#child.send({ ...errand, number });
    });
    this.#waiting.delete(number);
    if (told.failed !== undefined) throw new Error(told.failed);
    return told.result;
  }
}

type Unnumbered = Errand extends infer Each ? (Each extends Errand ? Omit<Each, 'number'> : never) : never;

const server = await startServer();
const sql = pgDriver(pg, server.url);
const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-releases-'));
const effects = path.join(folder, 'effects');
writeFileSync(effects, '');
const scripts = {
  oldWorker: await bundled('worker', values.old),
  oldPerson: await bundled('person', values.old),
  newWorker: await bundled('worker'),
  newPerson: await bundled('person'),
};
const personOf = (script: string): Promise<Person> => Person.of(script, server.url, effects);
const fleetOf = (script: string, size: number, faults: readonly ['kill'] | readonly []): Fleet =>
  new Fleet({
    ...{ url: server.url, script, effects, size, faults },
    crash: () => server.crash(),
    restart: () => server.restart(),
  });
const wrong: Record<string, number> = {};
const asked: Asked[] = [];
const said = new Map<string, readonly string[]>();
let n = 0;

function check(what: string, isRight: boolean): void {
  if (!isRight) wrong[what] = 1 + (wrong[what] ?? 0);
}

/** Asks so many questions by turns, and has two people answer each at the same time. */
async function trial(questions: number, askers: readonly Person[], [ann, bob]: readonly [Person, Person]) {
  const begun: Asked[] = [];
  const numbers = Array.from({ length: questions }, () => (n += 1));
  await all(numbers, async (number) => {
    const asker = askers[number % askers.length];
    if (asker !== undefined) begun.push(await asker.ask(number));
  });
  asked.push(...begun);
  const work = begun.flatMap(({ id, questions: open }) => open.map((question) => ({ id, question })));
  await all(work, async ({ id, question }) => {
    const ends = await Promise.allSettled([
      ann.answers(id, question, 'ann'),
      bob.answers(id, question, 'bob'),
    ]);
    for (const end of ends) if (end.status === 'rejected') say(`  unheard: ${String(end.reason)}`);
    check(
      'unheard',
      ends.every(({ status }) => status === 'fulfilled'),
    );
    const used = ends.map((end) => (end.status === 'fulfilled' ? end.value : ''));
    said.set(
      `${id} ${question.id}`,
      PEOPLE.filter((_person, index) => used[index] === 'used'),
    );
  });
  return work.length;
}

/** Waits until nothing is left to do. @returns how many sessions have something left */
async function rested(): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = await unrested(sql);
    if (left.length === 0 || performance.now() > until) return left.length;
    await passing(RETRY_MS * 5);
  }
}

const packed = async (): Promise<number> =>
  Number((await sql.query('select count(*) as n from hitl_event where packed is not null'))[0]?.['n']);

// 1. The older release makes the database; this one joins it, and both work while workers die.
const old = await personOf(scripts.oldPerson);
const size = Number(values.workers);
const fleets = [fleetOf(scripts.oldWorker, size, ['kill']), fleetOf(scripts.newWorker, size, ['kill'])];
await fleets[0]?.begin();
await trial(1, [old], [old, old]);
await fleets[1]?.begin();
const today = await personOf(scripts.newPerson);
const together = await trial(Number(values.questions), [old, today], [old, today]);
for (const fleet of fleets) await fleet.calm();
const strandedBefore = await rested();
check('packed too early', (await packed()) === 0);
say(
  `side by side: ${together} questions, kills ${fleets.map(({ happened }) => happened.kill ?? 0).join(' and ')}, ${strandedBefore} stranded`,
);
await fleets[0]?.end();
await fleets[1]?.end();

// 2. An operator says that all are upgraded, while a worker of the older release runs that nobody ended.
const stays = fleetOf(scripts.oldWorker, 1, []);
const fresh = fleetOf(scripts.newWorker, size, ['kill']);
await stays.begin();
await passing(RETRY_MS * 10);
const program = path.join(root, 'dist/bin/hitl.js');
const upgrading = spawn(process.execPath, [program, 'store', 'upgrade', '--yes'], {
  stdio: ['ignore', 'inherit', 'pipe'],
  cwd: folder,
  env: {
    ...{ PATH: process.env['PATH'] ?? '', HOME: folder, HITL_HOME: folder },
    HITL_STORE: server.url,
  },
});
const stderr = await text(upgrading.stderr);
say(stderr.trimEnd());
check('older programs unnamed', stderr.includes('connections of programs of version 0.2.0 or older'));
await fresh.begin();
const late = await personOf(scripts.oldPerson);
const refused = await late.ask(-1).then(
  () => '',
  (thrown: unknown) => String(thrown),
);
say(`a program of the older release says: ${refused}`);
check('older program not refused', refused.includes('of a newer version'));
const second = await personOf(scripts.newPerson);
const after = await trial(Math.ceil(Number(values.questions) / 2), [today, second], [today, second]);
await fresh.calm();
const strandedAfter = await rested();
check('nothing packed', (await packed()) > 0);
say(`after the upgrade: ${after} questions, kills ${fresh.happened.kill ?? 0}, ${strandedAfter} stranded`);

const store = storeAt(server.url);
const { violations, others } = await judged({ ann: store, asked, said, effects });
await stays.end();
await fresh.end();
for (const person of [old, today, late, second]) person.end();
await store.close();
await sql.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
for (const script of Object.values(scripts)) rmSync(script);
say(`${JSON.stringify(others)} ${JSON.stringify({ ...violations, ...wrong })}`);
const total = [...Object.values(violations), ...Object.values(wrong)].reduce((sum, count) => sum + count, 0);
const stranded = strandedBefore + strandedAfter;
say(`${total} violations, ${stranded} stranded`);
process.exit(total + stranded === 0 ? 0 : 1);
