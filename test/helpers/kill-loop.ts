import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Interrupt } from '../../src/core/index.js';
import type { Side } from './kill-at.js';
import { killAtRecord } from './kill-at.js';
import { triesAll } from './kill-points.js';
import type { Ran } from './program.js';
import { Home, PROGRAM, ranBy } from './program.js';

/** A flow that is killed at each record of its journal, and must come to the end of a run that is not. */
export interface KilledFlow {
  readonly name: string;
  /** Begins it, or goes on with it, until it needs nothing more or dies. `env` is how it dies. */
  readonly live: (home: Home, env: Readonly<Record<string, string>>) => Promise<Ran>;
  /** The operations that do something outside, whatever effect they say they have. */
  readonly acts: readonly string[];
  /** What it did outside, in an order that is the same after each good run. */
  readonly effects: (home: Home) => readonly string[];
}

/** The places to die at, and what came of it. */
export interface Killed {
  readonly kills: number;
  readonly doubts: number;
  readonly wrong: readonly unknown[];
}

interface Point {
  readonly place: Side;
  readonly seq: number;
  /** Something happened outside there, and the journal does not have it: a person must be asked. */
  readonly isDone: boolean;
}

type Event = Readonly<Record<string, unknown>>;

/** The points of a sample. */
export const SAMPLE = 2;
/** Of the points at which a flow dies, one of so many has a second death behind it. */
const TWICE = 3;
/** Processes of one flow at a time. */
const AT_ONCE = 2;
/** The lives that a flow may take to its end. */
const MOST_LIVES = 6;

/** Kills a flow at each record, or at a sample of them. The first run is left alone: the others are held to it. */
export async function killLoop(flow: KilledFlow): Promise<Killed> {
  const { points, end } = await undisturbed(flow);
  const half = triesAll ? Number.POSITIVE_INFINITY : SAMPLE / 2;
  const done = points.filter(({ isDone }) => isDone);
  const others = points.filter(({ isDone }) => !isDone);
  const chosen = [...spread(done, half), ...spread(others, half)];
  const wrong: unknown[] = [];
  let kills = 0;
  let doubts = 0;
  const left = [...chosen.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, point] = next;
      const came = await dieAndGoOn(flow, point, index % TWICE === 0 ? randomOf(index) : undefined);
      kills += came.kills;
      doubts += came.doubts;
      if (came.kills === 0 || JSON.stringify(came.end) !== JSON.stringify(end))
        wrong.push({ ...point, ...came });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.stdout.write(`${flow.name}: ${kills} kills, ${wrong.length} other ends, ${doubts} doubts\n`);
  return { kills, doubts, wrong };
}

/** So many of a list, from all of its parts. */
function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_item, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Plays it once; every record is a place to die after, and where an operation ended one to die before: it is done. */
async function undisturbed(flow: KilledFlow) {
  using home = new Home();
  const status = await toItsEnd(flow, home);
  const acting = new Set<string>();
  const points = recordsOf(home).flatMap(({ seq, scope, event }): readonly Point[] => {
    const after = { place: 'after', seq, isDone: false } as const;
    const { type, key, ref, name } = event;
    const operation = JSON.stringify([scope, key ?? ref]);
    const called = String(key ?? name).replace(/^.*\/|#\d+$/gu, ''); // `hosts/a/deploy#1`, or a tool
    if (String(type).endsWith('-started') && flow.acts.includes(called)) acting.add(operation);
    return String(type).endsWith('-settled')
      ? [{ place: 'before', seq, isDone: acting.has(operation) }, after]
      : [after];
  });
  return { points, end: await endOf(flow, home, status) };
}

async function dieAndGoOn(flow: KilledFlow, point: Point, random: (() => number) | undefined) {
  using home = new Home();
  const first = await flow.live(home, killAtRecord(home, point.place, point.seq));
  let kills = first.status === 137 ? 1 : 0;
  if (random !== undefined) {
    const seq = recordsOf(home).length + 1 + Math.floor(random() * 12);
    const second = await flow.live(home, killAtRecord(home, random() < 0.5 ? 'before' : 'after', seq));
    kills += second.status === 137 ? 1 : 0;
  }
  const status = await toItsEnd(flow, home);
  return { kills, doubts: doubtsIn(home), end: await endOf(flow, home, status) };
}

async function toItsEnd(flow: KilledFlow, home: Home): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (let life = 0; life < MOST_LIVES; life += 1) {
    const { status, stderr } = await flow.live(home, {});
    if (status === 0) return [0];
    told.push([status, stderr]);
  }
  return told;
}

async function endOf(flow: KilledFlow, home: Home, status: readonly unknown[]) {
  const audit = await home.run(['audit', 'verify', lastOf(home) ?? '']);
  const output = recordsOf(home).findLast(({ event }) => event['type'] === 'node-settled')?.event['output'];
  // A program of the library has no key: its records are whole, and not the command line's own.
  const isWhole = audit.status === 0 || /result {4}not yours: /u.test(audit.stdout);
  const journal = isWhole ? 'whole' : audit.stdout + audit.stderr;
  return { status, output, effects: flow.effects(home), journal };
}

function doubtsIn(home: Home): number {
  const asked = recordsOf(home).map(({ event }) => event['interrupt'] as Interrupt | undefined);
  return asked.filter((interrupt) => interrupt?.kind === 'in-doubt').length;
}

/** The newest session: a process that died before its flow began has left one behind. */
export function lastOf(home: Home): string | undefined {
  return home.ids().at(-1);
}

interface JournalRecord {
  readonly seq: number;
  readonly scope: string;
  readonly event: Event;
}

function recordsOf(home: Home): readonly JournalRecord[] {
  const file = join(home.sessions, lastOf(home) ?? '', 'journal.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1); // what is behind the last line end is torn
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}

/** True where the journal has it: `{"type":"op-started","key":"talk#1"}`. */
export function hasRecord(home: Home, wanted: Event): boolean {
  return recordsOf(home).some(({ event }) =>
    Object.entries(wanted).every(([name, value]) => event[name] === value),
  );
}

/** True where a flow has begun: one that died before is begun again. */
export function hasBegun(home: Home): boolean {
  return hasRecord(home, { type: 'graph-started' });
}

/** The questions that are open, as the journal has them. */
export function openIn(home: Home): readonly Interrupt[] {
  const open = new Map<string, Interrupt>();
  for (const { event } of recordsOf(home)) {
    const interrupt = event['interrupt'] as Interrupt | undefined;
    if (event['type'] === 'interrupt-raised' && interrupt !== undefined) open.set(interrupt.id, interrupt);
    else if (String(event['type']).startsWith('interrupt-')) open.delete(String(event['id']));
  }
  return [...open.values()];
}

/** A person at the program: the line that answers a question, or nothing, which leaves it open and says no more. */
export type Person = (question: Interrupt, home: Home) => string | undefined;

/** Runs the program, and answers what it asks while it runs: what was open before, and what comes. */
export function answered(
  home: Home,
  args: readonly string[],
  person: Person,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const formats = ['--input-format', 'ndjson', '--output-format', 'stream-json', '--quiet'];
  const child = spawn(process.execPath, [PROGRAM, ...args, ...formats], {
    env: { ...home.env, ...env },
    cwd: home.work,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const ran = ranBy(child);
  child.stdin.on('error', () => undefined); // it may die before it has read everything
  const answer = (questions: readonly Interrupt[]): void => {
    const asked = questions.filter(({ source }) => source.type !== 'node' || source.wait === undefined); // the rest asks nobody
    const said = asked.map((question) => ({ question, words: person(question, home) }));
    for (const { question, words } of said)
      if (words !== undefined && child.stdin.writable)
        child.stdin.write(`${JSON.stringify({ type: 'answer', interrupt: question.id, answer: words })}\n`);
    if (said.some(({ words }) => words === undefined)) child.stdin.end();
  };
  let torn = '';
  child.stdout.on('data', (text: string) => {
    const told = (torn + text).split('\n');
    torn = told.pop() ?? '';
    const asked = told.map((line) => (JSON.parse(line) as { interrupt?: Interrupt }).interrupt);
    answer(asked.filter((interrupt) => interrupt !== undefined).reverse()); // in another order than they were asked
  });
  return ran;
}

/** What a person says of something in doubt who looks whether it happened: the fact, or once more. */
export function lookedUp(done: readonly string[], effect: string, fact = 'null'): string {
  return done.includes(effect) ? `a ${fact}` : 'retry';
}

/** The lines of a file in the folder in which a flow works, none where it is not there. */
export function linesOf(home: Home, name: string): readonly string[] {
  const file = join(home.work, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** The same numbers for the same seed: a second death is at the same place each time. */
function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
