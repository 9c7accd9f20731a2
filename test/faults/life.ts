import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import * as z from 'zod';

import type { Interrupt, JsonObject, StoredEvent } from '../../src/core/index.js';
import { canonicalJson, isJsonObject } from '../../src/core/index.js';
import { interruptSchema } from '../../src/core/told/schemas.js';
import type { KillWorld } from './kill-world.js';
import { refOf } from './kill-world.js';

const PATIENCE_MS = 60_000;

/** When a process is killed: so long after it was started, or after the first event that it printed. */
export interface Kill {
  readonly from: 'start' | 'output';
  readonly afterMs: number;
}

/** What the program said had happened, over all lives of a session: it may take nothing of that back. */
export interface Ledger {
  /** Events that were printed, as canonical JSON by number. */
  readonly printed: Map<number, string>;
  /** Interrupts whose answer another process confirmed. */
  readonly posted: Set<string>;
}

/** How one process ended. */
export interface Life {
  readonly status: number | 'killed';
  readonly ms: number;
  /** From the start to the first event. */
  readonly startupMs: number | undefined;
  readonly stderr: string;
}

export interface LifeOptions {
  readonly args: readonly string[];
  readonly ledger: Ledger;
  readonly kill?: Kill | undefined;
  /** Beside what every life has. */
  readonly env?: Readonly<Record<string, string>>;
}

const Printed = z.looseObject({ seq: z.int(), type: z.string() });

/** The interrupts that nothing has resolved yet. */
export function openInterrupts(events: readonly StoredEvent[]): readonly Interrupt[] {
  const open = new Map<string, Interrupt>();
  for (const { event } of events) {
    if (event.type === 'interrupt-raised') open.set(event.interrupt.id, event.interrupt);
    if (event.type === 'interrupt-resolved') open.delete(event.id);
  }
  return [...open.values()];
}

function killIn(child: ChildProcess, afterMs: number): NodeJS.Timeout {
  return setTimeout(() => {
    child.kill('SIGKILL');
  }, afterMs);
}

/** How a process ends; -1 for signals that are not ours. */
function endOf(child: ChildProcess): Promise<number | 'killed'> {
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve(signal === 'SIGKILL' ? 'killed' : (code ?? -1));
    });
  });
}

/** An event as the program printed it, without what the printing added. */
function eventOf(line: JsonObject): string {
  const { session: _session, seq: _seq, at: _at, ...event } = line;
  return canonicalJson(event);
}

/** What is answered to each call when it asks. */
const DECISIONS: Readonly<Record<string, string>> = {
  edited: 'edit {"amount":15}',
  approved: 'y',
  cancelled: 'cancel',
  last: 'y',
  asked: 'answer blue',
  shelled: 'y',
};

/** What a person answers to an interrupt: looks at the world where the program does not know what became of a call. */
function decide(world: KillWorld, { kind, source }: Interrupt): string {
  if (source.type !== 'tool') throw new Error(`nothing is known of a ${kind} of a ${source.type}`);
  if (kind !== 'in-doubt') return DECISIONS[source.ref] ?? `no answer for ${source.ref}`;
  const effect = world.effects().find((line) => refOf(line) === source.ref);
  if (effect === undefined) return 'retry';
  return source.name === 'run_command'
    ? 'answer {"exitCode":0,"signal":null,"output":""}'
    : `answer {"paid":${effect.amount}}`;
}

/** Begins the session, types the message again that nobody confirmed, or goes on. */
export async function nextArgs(world: KillWorld): Promise<readonly string[]> {
  const id = await world.id();
  if (id === undefined) return ['chat', '-p', 'go'];
  const events = await world.events(id);
  const isTyped = events.some(({ event }) => event.type === 'message-added');
  return isTyped ? ['resume', id] : ['resume', id, '-p', '--message', 'go'];
}

/** Runs the program once, with a person who answers what it asks, until it ends or is killed. */
export async function live(world: KillWorld, { args, ledger, kill, env }: LifeOptions): Promise<Life> {
  const started = performance.now();
  const id = await world.id();
  const events = id === undefined ? [] : await world.events(id);
  const child = spawn(process.execPath, [...world.command(args), ...world.flags], {
    cwd: world.work,
    env: { ...world.env, ...env },
  });
  const ended = endOf(child);
  let startupMs: number | undefined;
  let stderr = '';
  let timer: NodeJS.Timeout | undefined;
  const killLater = (afterMs: number): void => {
    timer = killIn(child, afterMs);
  };
  const patience = setTimeout(() => {
    child.kill('SIGABRT');
  }, PATIENCE_MS);
  child.stdin.on('error', () => undefined); // it may be dead by now
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const answer = (interrupt: Interrupt): void => {
    if (ledger.posted.has(interrupt.id)) return;
    const line = { type: 'answer', interrupt: interrupt.id, answer: decide(world, interrupt) };
    child.stdin.write(`${JSON.stringify(line)}\n`);
  };
  if (kill?.from === 'start') killLater(kill.afterMs);
  if (events.some(({ event }) => event.type === 'run-ended')) child.stdin.end();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (text) => {
    if (startupMs === undefined) {
      startupMs = performance.now() - started;
      if (kill?.from === 'output') killLater(kill.afterMs);
    }
    const line = parsed(text);
    if (line === undefined) return;
    const said = Printed.safeParse(line);
    if (said.success) ledger.printed.set(said.data.seq, eventOf(line));
    if (line['type'] === 'interrupt-raised' || line['type'] === 'interrupt-open')
      answer(interruptSchema.parse(line['interrupt']));
    if (line['type'] === 'run-ended') child.stdin.end();
  });
  const status = await ended;
  clearTimeout(timer);
  clearTimeout(patience);
  return { status, ms: performance.now() - started, startupMs, stderr };
}

/** A line of output; `undefined` for half a line of a process that was killed while it wrote. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Posts the answers to what is open from another process, some of which are killed and then run again.
 * @returns how many were killed.
 */
export async function postAnswers(
  world: KillWorld,
  id: string,
  ledger: Ledger,
  killAfterMs: () => number | undefined,
): Promise<number> {
  let killed = 0;
  for (const interrupt of openInterrupts(await world.events(id))) {
    if (ledger.posted.has(interrupt.id)) continue;
    const named = ['--interrupt', interrupt.id, '--digest', interrupt.digest];
    const args = ['answer', id, ...named, decide(world, interrupt)];
    for (let afterMs = killAfterMs(); ; afterMs = undefined) {
      const status = await post(world, args, afterMs);
      if (status === 'killed') {
        killed += 1;
        continue;
      }
      // It is there already where the one that was killed had come that far.
      ledger.posted.add(interrupt.id);
      break;
    }
  }
  return killed;
}

async function post(
  world: KillWorld,
  args: readonly string[],
  killAfterMs: number | undefined,
): Promise<number | 'killed'> {
  const child = spawn(process.execPath, [...world.command(args)], {
    cwd: world.work,
    env: world.env,
    stdio: 'ignore',
  });
  const timer = killAfterMs === undefined ? undefined : killIn(child, killAfterMs);
  const status = await endOf(child);
  clearTimeout(timer);
  return status;
}
