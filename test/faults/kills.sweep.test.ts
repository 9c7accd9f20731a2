// The built program, killed at random moments. KILLS says how often, SEED at which moments, and SANDBOX in which mode the
// command of each session runs: `KILLS=1000 SEED=1 SANDBOX=required npm run test:sweep -- test/faults/kills`.
import { setTimeout as passing } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import type { Random } from '../helpers/random.js';
import { seededRandom } from '../helpers/random.js';
import { hasDatabases } from '../postgres/databases.js';
import { audit, judgeEnd } from './audit.js';
import type { SandboxMode } from './kill-world.js';
import { EXPECTED_EFFECTS, KillWorld, ProgramCopy, refOf } from './kill-world.js';
import type { Kill, Ledger, Life } from './life.js';
import { live, nextArgs, postAnswers } from './life.js';
import type { Place } from './place.js';
import { databasePlace } from './place.js';

const { KILLS, SEED, SANDBOX } = process.env;
const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const MOST_LIVES = 60;
const FIRST_GUESS_MS = 600;
/** One life of so many sees its server die, where there is one. */
const CRASH_OF = 4;
const MOST_CRASHES = 4;

interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** The folder of the built program. */
  readonly dist: string;
  /** Whether the command of each session runs in a sandbox; default: where there is one. */
  readonly sandbox?: SandboxMode | undefined;
  /** The place where sessions are kept; default: a folder of each world's own. */
  readonly place?: Place | undefined;
}

/** What was tried, and what was found. */
interface KillReport {
  /** Processes that were killed with signal 9 before they ended. */
  kills: number;
  /** Of these, processes that posted an answer to the session of another one. */
  posterKills: number;
  sessions: number;
  effects: number;
  /** Ends of the server that has the sessions, with signal 9 in the middle of a life. */
  crashes: number;
  /** Interrupts that told a person of an unknown outcome. */
  doubts: number;
  /** Answers that were confirmed: printed by the program or posted by another process. */
  answers: number;
  /** What was broken, with the session's number. */
  readonly violations: string[];
}

/** How long lives are, to aim at: as the last ones were. */
class Aim {
  #wholeMs = FIRST_GUESS_MS;
  #startupMs = FIRST_GUESS_MS / 2;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  learn({ status, ms, startupMs }: Life): void {
    if (startupMs !== undefined) this.#startupMs += (startupMs - this.#startupMs) / 4;
    if (status !== 'killed') this.#wholeMs += (ms - this.#wholeMs) / 4;
  }

  /** Half of the kills fall anywhere in a life, the others where the session moves. */
  next(): Kill {
    if (this.#random(2) === 0)
      return { from: 'start', afterMs: this.#random(Math.ceil(this.#wholeMs * 1.1)) };
    const movingMs = Math.max(this.#wholeMs - this.#startupMs, 20);
    return { from: 'output', afterMs: this.#random(Math.ceil(movingMs)) };
  }

  poster(): number {
    return this.#random(Math.ceil(this.#startupMs * 1.5));
  }
}

/** Kills sessions of the built program at random moments, and judges every death and every end. */
async function killSessions({ kills, seed, dist, sandbox, place }: KillOptions): Promise<KillReport> {
  using program = new ProgramCopy(dist);
  const random = seededRandom(seed);
  const report: KillReport = {
    kills: 0,
    posterKills: 0,
    crashes: 0,
    sessions: 0,
    effects: 0,
    doubts: 0,
    answers: 0,
    violations: [],
  };
  const aim = new Aim(random);
  while (report.kills < kills && report.violations.length < 20) {
    report.sessions += 1;
    const number = report.sessions;
    await place?.clear();
    for (const violation of await oneSession(new KillWorld(program.path, sandbox, place), {
      kills,
      random,
      aim,
      report,
    }))
      report.violations.push(`session ${number}: ${violation}`);
  }
  return report;
}

interface Hunt {
  readonly kills: number;
  readonly random: Random;
  readonly aim: Aim;
  readonly report: KillReport;
}

async function oneSession(newWorld: KillWorld, hunt: Hunt): Promise<readonly string[]> {
  using world = newWorld;
  const { kills, random, aim, report } = hunt;
  const ledger: Ledger = { printed: new Map(), posted: new Set() };
  const before = await world.foreignFiles();
  const violations: string[] = [];
  const deaths = 1 + random(10);
  for (let lives = 0, died = 0; ; lives += 1) {
    const kill = died < deaths && report.kills < kills ? aim.next() : undefined;
    const crashing =
      world.place.crash !== undefined && random(CRASH_OF) === 0 && lives < MOST_CRASHES
        ? crashIn(world, aim.poster())
        : undefined;
    const life = await live(world, { args: await nextArgs(world), ledger, kill });
    const isCrashed = (await crashing) === true;
    if (isCrashed) report.crashes += 1;
    aim.learn(life);
    if (life.status === 'killed') {
      died += 1;
      report.kills += 1;
      violations.push(...(await audit(world, ledger, 'died')));
      await postSome(world, ledger, hunt);
    } else if (isCrashed && life.status !== 0 && isTold(life)) {
      violations.push(...(await audit(world, ledger, 'died')));
    } else if (life.status !== 0) {
      violations.push(`a life ended with status ${life.status}: ${life.stderr}`);
      break;
    } else break;
    if (lives > MOST_LIVES) violations.push('it does not come to an end');
    if (violations.length > 0) break;
  }
  if (violations.length === 0) violations.push(...(await judgeEnd(world, ledger)));
  const after = await world.foreignFiles();
  if (JSON.stringify(after) !== JSON.stringify(before)) violations.push(`files: ${after.join(', ')}`);
  await count(world, ledger, report);
  return violations;
}

/** Ends the server of the sessions while somebody works there. @returns false where there is none */
async function crashIn({ place }: KillWorld, ms: number): Promise<boolean> {
  if (place.crash === undefined) return false;
  await passing(ms);
  await place.crash();
  return true;
}

/** True where a program that could not go on without its server said so, and did not claim anything else. */
function isTold({ stderr }: Life): boolean {
  return /could not (?:save|read)|session lease is lost|is in use/u.test(stderr);
}

/** Now and then another process answers while the session is dead, and may die at that itself. */
async function postSome(world: KillWorld, ledger: Ledger, { random, aim, report }: Hunt): Promise<void> {
  const id = await world.id();
  if (id === undefined || random(4) !== 0) return;
  const killed = await postAnswers(world, id, ledger, () => (random(3) === 0 ? aim.poster() : undefined));
  report.kills += killed;
  report.posterKills += killed;
}

async function count(world: KillWorld, { posted }: Ledger, report: KillReport): Promise<void> {
  const id = await world.id();
  const events = id === undefined ? [] : await world.events(id);
  report.effects += new Set(world.effects().map(refOf)).size;
  for (const { event } of events) {
    if (event.type === 'interrupt-raised' && event.interrupt.kind === 'in-doubt') report.doubts += 1;
    if (event.type === 'interrupt-resolved' && !posted.has(event.id)) report.answers += 1;
  }
  report.answers += posted.size;
}

/** The time that so many kills may take, in milliseconds. */
const timeFor = (kills: number): number => 300_000 + kills * 10_000;

function printed(report: Omit<KillReport, 'violations'>): void {
  process.stdout.write(`kills: ${JSON.stringify(report)}\n`);
}

const times = Number(KILLS ?? 6);
const sandbox = (['auto', 'off', 'required'] as const).find((mode) => mode === SANDBOX);

test.skipIf(process.platform === 'win32')(
  'sessions of the built program that are killed at random moments lose nothing and do nothing twice (F1: G1, G2, G9 to G11, G19, G32)',
  async () => {
    const seed = Number(SEED ?? 20_260_101);
    const { violations, ...report } = await killSessions({ kills: times, seed, dist, sandbox });
    printed(report);
    expect(violations).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(times);
    expect(report.effects).toBe(EXPECTED_EFFECTS.size * report.sessions);
  },
  timeFor(times),
);

test.skipIf(!hasDatabases)(
  'sessions in PostgreSQL whose program and whose server are killed at random moments lose nothing and do nothing twice (`npm run tools` installs it)',
  async () => {
    await using place = await databasePlace();
    const seed = Number(SEED ?? 20_260_102);
    const { violations, ...report } = await killSessions({ kills: Number(KILLS ?? 3), seed, dist, place });
    printed(report);
    expect(violations).toEqual([]);
    expect(report.crashes).toBeGreaterThan(0);
    expect(report.effects).toBe(EXPECTED_EFFECTS.size * report.sessions);
  },
  timeFor(times),
);
