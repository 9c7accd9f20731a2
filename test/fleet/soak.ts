// Servers and workers of the built program at work for long, and whether they stay as they are:
//   npm run build && npm run fleet:soak -- --minutes 60
// On PostgreSQL a server with an agent and two workers, on a folder a server and a worker. People begin sessions at a
// steady rate, answer, edit and reject, open streams and break them off. Each program is measured from outside of it
// (gauge.ts), and judged by growth.ts: in each figure, and for each piece of work.
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import * as z from 'zod';

import type { JsonObject, Resolution, SessionId, SessionInit, SessionStore } from '../../src/core/index.js';
import { isJsonObject, messageOf } from '../../src/core/index.js';
import { openStore } from '../../src/index.js';
import { startServer } from '../../tools/servers/server.mjs';
import type { Reading } from './growth.js';
import { FIGURES, growthOf, warningsIn } from './growth.js';
import { bundled, storeAt } from './parts.js';
import type { Door } from './visits.js';
import { answer, ask, follow, overhear, post, signedIn } from './visits.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    /** Sessions that are begun a second. */
    rate: { type: 'string', default: '1.5' },
  },
});
const RUN_MS = Number(values.minutes) * 60_000;
const RATE = Number(values.rate);
/** Readings of a program, of which each collects its garbage: one each half a minute, or as many as this in less. */
const READINGS = 48;
const FASTEST_MS = 3_750;
const GAUGE_MS = Math.min(30_000, Math.max(RUN_MS / READINGS, FASTEST_MS));
/** Sessions of one place that go on at the same time: more are not begun. */
const AT_ONCE = 16;
/** Sessions that are done and stay in the folder: a look at a folder goes through all of it. */
const KEPT = 50;
const SCRAPE_MS = 5_000;
const OVERHEAR_MS = 2_000;
const LONGEST_STREAM_MS = 15_000;
const ROWS = 12;
const SLOTS = '4';
const PATIENCE_MS = 60_000;

const root = path.join(import.meta.dirname, '../..');
const program = path.join(root, 'dist/bin/hitl.js');
const home = mkdtempSync(path.join(os.tmpdir(), 'hitl-soak-'));
const sessions = path.join(home, 'sessions');
const effects = path.join(home, 'effects');
const tools = path.join(home, 'tools.mjs');
const model = path.join(home, 'model.jsonl');
const people = path.join(home, 'people.txt');
const QUESTIONS = 2;
const PAID = 'Paid.';
writeFileSync(effects, '');
const calls = Array.from({ length: QUESTIONS }, (_, n) => ({ name: 'pay', input: { n } }));
writeFileSync(model, `${JSON.stringify({ tools: calls })}\n${JSON.stringify({ text: PAID })}\n`);
writeFileSync(
  tools,
  `import { appendFileSync } from 'node:fs';
import { defineTool } from 'hitl';
const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
export default [defineTool({ name: 'pay', description: 'Pays.', input, needsApproval: true }, ({ n }) => {
  appendFileSync(${JSON.stringify(effects)}, n + '\\n');
  return 'paid';
})];
`,
);
const tokenOf = (name: string): string => name.padEnd(40, '-');
const roles = { ann: 'answer,read,begin', eve: 'read', tom: 'measure', bob: 'answer,read' };
writeFileSync(
  people,
  Object.entries(roles)
    .map(([name, has]) => `${name} ${tokenOf(name)} roles=${has}\n`)
    .join(''),
  { mode: 0o600 },
);
const doorOf = (port: number, name: keyof typeof roles): Door => ({
  port,
  headers: { authorization: `Bearer ${tokenOf(name)}` },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const server = await startServer();
const gauge = await bundled('gauge');
const env = {
  ...{ PATH: process.env['PATH'] ?? '', HOME: home, HITL_HOME: home, HITL_MODEL: `script:${model}` },
  GAUGE_MS: String(GAUGE_MS),
};
const PLACES = {
  postgres: ['--store', server.url],
  folder: ['--sessions', sessions],
} as const;

/** A line of the gauge. */
const reading = z.object({
  ...{ at: z.number(), cpuMs: z.number() },
  ...{ heap: z.number(), rss: z.number(), descriptors: z.number() },
  ...{ resources: z.number(), listeners: z.number(), followers: z.number() },
});
const begun = z.object({ id: z.string() });

const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A program of the fleet. */
class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #file: string;
  /** When it did a piece of work: a session for a server, a claim for a worker. */
  readonly done: number[] = [];
  stdout = '';
  stderr = '';

  constructor(name: string, args: readonly string[]) {
    this.name = name;
    this.#file = path.join(home, `${name.replaceAll(/\W/gu, '-')}.jsonl`);
    writeFileSync(this.#file, '');
    // Code that is optimised as a program warms up, and what it falls back to, is no growth.
    const node = ['--trace-warnings', '--expose-gc', '--no-opt', '--import', pathToFileURL(gauge).href];
    this.#child = spawn(process.execPath, [...node, program, ...args], {
      ...{ cwd: home, env: { ...env, GAUGE_FILE: this.#file } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(this.#child);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const worked = text.split('"result":"rests"').length - 1;
      for (let count = 0; count < worked; count += 1) this.done.push(Date.now());
      if (worked === 0) this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Waits until it has said something. @returns what the pattern finds */
  async until(pattern: RegExp): Promise<string> {
    const from = performance.now();
    for (;;) {
      const found = pattern.exec(`${this.stdout}\n${this.stderr}`);
      if (found !== null) return found[1] ?? '';
      if (this.#child.exitCode !== null || performance.now() - from > PATIENCE_MS)
        throw new Error(`${this.name} never said ${String(pattern)}: ${this.stdout}${this.stderr}`);
      await passing(50);
    }
  }

  get readings(): readonly (Reading & { readonly cpuMs: number })[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const figures = reading.parse(JSON.parse(line));
      return { ...figures, work: this.done.filter((at) => at <= figures.at).length };
    });
  }

  get warnings(): readonly string[] {
    return warningsIn(this.stderr);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** How the program begins a session of a place whose workers go on with it: from one that it began itself. */
async function beginningIn(place: keyof typeof PLACES, store: SessionStore): Promise<SessionInit> {
  const chat = ['chat', '-p', 'pay', '--tools', tools, '--trust', ...PLACES[place]];
  const given = { cwd: home, env, encoding: 'utf8' } as const;
  const { stderr } = spawnSync(process.execPath, [program, ...chat], given);
  for await (const { id } of store.list()) {
    const session = await store.open(id, 'read');
    let init: SessionInit | undefined;
    for await (const { event } of session.events()) {
      if (event.type === 'session-created') init = event;
      if (event.type !== 'message-added' || init === undefined) continue;
      const { agent, cwd, by } = init;
      await session[Symbol.asyncDispose]();
      await store.remove(id);
      return { agent, events: [event], ...(cwd !== undefined && { cwd }), ...(by !== undefined && { by }) };
    }
  }
  throw new Error(`nothing was begun: ${stderr}`);
}

/** Where sessions are begun, and the server through which they are answered. */
interface Place {
  readonly name: string;
  readonly door: Door;
  /** Nobody approves what they asked for. */
  readonly answers: Door;
  readonly server: Program;
  readonly begin: () => Promise<string>;
  readonly over: (id: string) => Promise<void>;
  atOnce: number;
}

const auth = ['--auth', 'token-file', '--token-file', people, '--port', '0'];
const own = ['--trust', '--slots', SLOTS, '--json', '--folder', home];
const agent = ['--agent', 'soak', '--tools', tools, '--trust'];
const serve = new Program('serve, postgres', ['serve', ...agent, ...auth, ...PLACES.postgres]);
const pages = new Program('serve, folder', ['serve', ...auth, ...PLACES.folder]);
const ports: number[] = [];
const origins: string[] = [];
for (const one of [serve, pages]) {
  const origin = await one.until(/^(http:\S+)\n/mu);
  origins.push(origin);
  ports.push(Number(new URL(origin).port));
}
const store = storeAt(server.url);
const folder = openStore(sessions);
const inPostgres = await beginningIn('postgres', store);
const inFolder = await beginningIn('folder', folder);
const listen = ['--listen', '127.0.0.1:0'];
const workers = [
  new Program('worker 1, postgres', ['worker', ...own, ...listen, ...PLACES.postgres]),
  new Program('worker 2, postgres', ['worker', ...own, ...PLACES.postgres]),
  new Program('worker, folder', ['worker', ...own, ...PLACES.folder]),
];
for (const one of workers) await one.until(/Ctrl-C stops/u);
const watched = Number(new URL((await workers[0]?.until(/metrics at (\S+)\/metrics/u)) ?? '').port);
const programs = [serve, ...workers.slice(0, 2), pages, ...workers.slice(2)];

async function created(into: SessionStore, init: SessionInit): Promise<SessionId> {
  const session = await into.create(init);
  await session[Symbol.asyncDispose]();
  return session.id;
}

const [port = 0, pagesPort = 0] = ports;
const ann = doorOf(port, 'ann');
const none = (): Promise<void> => Promise.resolve();
const left: SessionId[] = [];
const places: readonly Place[] = [
  {
    ...{ name: 'agent', door: ann, answers: doorOf(port, 'bob'), server: serve, atOnce: 0, over: none },
    begin: async () => begun.parse(await post(ann, '/v1/sessions', { text: 'pay' })).id,
  },
  {
    ...{ name: 'workers', door: ann, answers: doorOf(port, 'bob'), server: serve, atOnce: 0, over: none },
    begin: () => created(store, inPostgres),
  },
  {
    ...{ name: 'folder', door: doorOf(pagesPort, 'ann'), answers: doorOf(pagesPort, 'bob') },
    ...{ server: pages, atOnce: 0 },
    begin: async () => {
      const id = await created(folder, inFolder);
      left.push(id);
      return id;
    },
    over: async () => {
      const oldest = left.length > KEPT + AT_ONCE ? left.shift() : undefined;
      if (oldest !== undefined) await folder.remove(oldest);
    },
  },
];

const WAYS: readonly Resolution[] = [
  { action: 'restart' },
  { action: 'restart', input: { n: 5 } },
  { action: 'reject', reason: 'not today' },
];
const troubles: string[] = [];
let begunCount = 0;
let doneCount = 0;
let approved = 0;

const raised = (events: readonly JsonObject[]): readonly JsonObject[] =>
  events.filter(({ type }) => type === 'interrupt-raised');
const hasEnded = (events: readonly JsonObject[]): boolean =>
  events.some(
    ({ type, message }) =>
      type === 'message-added' && isJsonObject(message) && JSON.stringify(message['content']).includes(PAID),
  );

/** A session from its beginning to its end. Every third time the stream is broken off between question and answer. */
async function session(place: Place, nth: number): Promise<void> {
  const id = await place.begin();
  const { events, last } = await follow(place.door, id, (heard) => raised(heard).length === QUESTIONS);
  if (nth % 3 === 0) void overhear(place.door, 1).catch(trouble); // breaks off at once
  const end = follow(place.door, id, hasEnded, nth % 2 === 0 ? last : 0);
  end.catch(() => undefined); // it is waited for below
  for (const [index, question] of raised(events).entries()) {
    const way = WAYS[(nth + index) % WAYS.length] ?? { action: 'restart' };
    await answer(place.answers, id, question, way);
    if (way.action === 'restart') approved += 1;
  }
  await end;
  await place.over(id);
  place.server.done.push(Date.now());
  doneCount += 1;
}

function trouble(thrown: unknown): void {
  troubles.push(messageOf(thrown));
  say(`  ${messageOf(thrown)}`);
}

const until = Date.now() + RUN_MS;
const isOver = (): boolean => Date.now() >= until || programs.some(({ hasEnded: ended }) => ended);

/** Does something from time to time, whether or not the last one has come to its end. */
async function paced(everyMs: number, act: (nth: number) => Promise<void>): Promise<void> {
  const going = new Set<Promise<void>>();
  for (let nth = 0; !isOver(); nth += 1) {
    const one = act(nth)
      .catch(trouble)
      .then(() => void going.delete(one));
    going.add(one);
    await passing(everyMs);
  }
  await Promise.all(going);
}

const bob = await signedIn(port, origins[0] ?? '', tokenOf('bob'));
const eves = [doorOf(port, 'eve'), doorOf(pagesPort, 'eve')];
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

say(`${programs.length} programs, ${RATE} sessions a second, ${values.minutes} minutes; pid ${process.pid}`);
await Promise.all([
  paced(1_000 / RATE, async (nth) => {
    const place = places[nth % places.length];
    if (place === undefined || place.atOnce >= AT_ONCE) return;
    place.atOnce += 1;
    begunCount += 1;
    await session(place, begunCount).finally(() => {
      place.atOnce -= 1;
    });
  }),
  paced(OVERHEAR_MS, async (nth) => {
    const eve = eves[nth % eves.length];
    if (eve !== undefined) await overhear(eve, Math.random() * LONGEST_STREAM_MS);
  }),
  paced(SCRAPE_MS, async () => {
    await ask(doorOf(port, 'tom'), '/metrics');
    await ask({ port: watched, headers: {} }, '/metrics');
    await ask({ port: watched, headers: {} }, '/readyz');
    for (const page of ['/', '/sessions']) await ask(bob, page);
  }),
  paced(Math.max(RUN_MS / ROWS, SCRAPE_MS), async () => {
    const heaps = programs.map(({ readings }) => ((readings.at(-1)?.heap ?? 0) / 1e6).toFixed(2));
    say(`  ${new Date().toISOString()} ${doneCount} of ${begunCount} done, heap ${heaps.join(' ')} MB`);
  }),
]);

let notFlat = 0;
let warnings = 0;
const dead = programs.filter(({ hasEnded: ended }) => ended).map(({ name }) => name);
for (const one of programs) {
  const { readings } = one;
  const from = readings[0]?.at ?? 0;
  const last = readings.at(-1);
  const cpu = ((last?.cpuMs ?? 0) - (readings[0]?.cpuMs ?? 0)) / Math.max(1, (last?.at ?? 0) - from);
  say(`\n${one.name}: ${(cpu * 100).toFixed(1)} % of a core\n`);
  say(row(['minute', 'work', 'heap MB', 'rss MB', ...FIGURES.slice(2)]));
  say(row(['--:', '--:', ...FIGURES.map(() => '--:')]));
  const step = Math.max(1, Math.floor(readings.length / ROWS));
  for (const { at, work, heap, rss, ...counts } of readings.filter((_, index) => index % step === 0)) {
    const minute = ((at - from) / 60_000).toFixed(1);
    const { descriptors, resources, listeners, followers } = counts;
    const bytes = [(heap / 1e6).toFixed(2), (rss / 1e6).toFixed(0)];
    say(row([minute, work, ...bytes, descriptors, resources, listeners, followers]));
  }
  for (const { figure, from: was, to, ratio, each, isFlat } of growthOf(readings)) {
    if (!isFlat) notFlat += 1;
    say(
      `${figure}: ${was} -> ${to}, ratio ${ratio.toFixed(3)}, ${each.toFixed(3)} a piece of work${isFlat ? '' : ': GROWS'}`,
    );
  }
  warnings += one.warnings.length;
  for (const warning of one.warnings) say(warning);
}
for (const one of programs) await one.end();
await store.close();
await server.stop();
const paid = readFileSync(effects, 'utf8').split('\n').filter(Boolean).length;
rmSync(home, { recursive: true, force: true });
rmSync(gauge);
const isRight = begunCount === doneCount && paid === approved && troubles.length === 0 && dead.length === 0;
say(
  `\n${doneCount} of ${begunCount} sessions done, ${paid} payments for ${approved} approvals, ${troubles.length} troubles${dead.length === 0 ? '' : `, ended: ${dead.join(', ')}`}`,
);
say(`soak: ${notFlat} figures grow, ${warnings} warnings of Node`);
process.exit(isRight && notFlat === 0 && warnings === 0 ? 0 : 1);
