import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type {
  Interrupt,
  Model,
  ModelEvent,
  ModelReply,
  Resolution,
  RunState,
  SessionEvent,
} from '../../src/core/index.js';
import { checkMessages, fold, openInterrupts, textPart } from '../../src/core/index.js';
import { run } from '../../src/engine/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { ANN, AT, requestPart, userSaid } from '../helpers/events.js';
import { triesAll } from '../helpers/kill-points.js';

/** Of the points of a second death, one of so many is tried, or with KILL_POINTS=all each. */
const EVERY = 3;

/** What outlives every process: the journal, and what the tools did to the world. */
class Disk {
  readonly events: SessionEvent[] = [userSaid('pay, send and look')];
  readonly effects: string[] = [];
}

class Death extends Error {}

/** One process: when it dies nothing of it does anything any more. */
class Process {
  alive = true;
  readonly #disk: Disk;
  readonly #dieAt: number;
  #written = 0;

  constructor(disk: Disk, dieAt: number) {
    this.#disk = disk;
    this.#dieAt = dieAt;
  }

  /** Writes events; point 2n is death before the event n of this process, 2n + 1 after it. */
  append(events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.#point(2 * this.#written);
      this.#disk.events.push(structuredClone(event));
      this.#point(2 * this.#written + 1);
      this.#written += 1;
    }
  }

  #point(number: number): void {
    if (number !== this.#dieAt) return;
    this.alive = false;
    throw new Death();
  }

  /** Waits a little, then does something that lasts. The dead never come to it. */
  async act(effect: string): Promise<void> {
    for (let ticks = 0; ticks < 3; ticks += 1) await Promise.resolve();
    if (!this.alive) await new Promise<never>(() => undefined);
    this.#disk.effects.push(effect);
  }
}

/** Where a body is: the process that entered it, and the disk that outlives the process. */
interface Place {
  readonly process: Process;
  readonly disk: Disk;
}

/** G9: the intent is on disk before the body is entered. */
function expectIntent({ disk }: Place, ref: string, attempt: number): void {
  const intent = disk.events.some(
    (event) => event.type === 'tool-started' && event.ref === ref && event.attempt === attempt,
  );
  if (!intent) throw new Error(`${ref}#${attempt} was entered without an intent`);
}

const input = z.object({ amount: z.number() });

let place: Place | undefined;

function enter({ ref, attempt }: { readonly ref: string; readonly attempt: number }): Process {
  if (place === undefined) throw new Error('no process is alive');
  expectIntent(place, ref, attempt);
  return place.process;
}

const TOOLS = toolSet([
  defineTool({ name: 'pay', description: 'Asks by itself.', input }, async ({ amount }, context) => {
    const process = enter(context);
    if (context.resumed === undefined) return context.interrupt({ confirm: amount });
    await process.act(`pay ${amount}`);
    return `paid ${amount}`;
  }),
  defineTool(
    { name: 'send', description: 'Needs approval.', input, needsApproval: true },
    async ({ amount }, context) => {
      await enter(context).act(`send ${amount}`);
      return `sent ${amount}`;
    },
  ),
  defineTool(
    { name: 'look', description: 'Has no effect.', input, effect: 'none' },
    async ({ amount }, context) => {
      enter(context);
      await Promise.resolve();
      return `saw ${amount}`;
    },
  ),
]);

const REPLIES: readonly ModelReply[] = [
  {
    content: [
      textPart('three things'),
      requestPart('pay', 'a', { amount: 1 }),
      requestPart('send', 'b', { amount: 2 }),
      requestPart('look', 'c', { amount: 3 }),
    ],
    end: 'tool-use',
  },
  { content: [requestPart('pay', 'd', { amount: 4 })], end: 'tool-use' },
  { content: [textPart('all done')], end: 'stop' },
];

function modelOf(disk: Disk): Model {
  return {
    id: 'replay',
    async *generate(request): AsyncGenerator<ModelEvent, void> {
      const messages = request.messages.toArray();
      // G2: what the model is sent is on disk, and valid (G19).
      if (JSON.stringify(messages) !== JSON.stringify(fold(disk.events).view.toArray()))
        throw new Error('the model is sent what is not on disk');
      if (checkMessages(messages).length > 0) throw new Error('the model is sent what it cannot take');
      const reply = REPLIES[messages.filter(({ role }) => role === 'model').length]!;
      yield { type: 'text-delta', text: 'part of it' };
      yield { type: 'reply', reply };
    },
  };
}

/** A person who agrees to everything, and who looks at the world before answering a doubt. */
function decide({ kind, source }: Interrupt, disk: Disk): Resolution {
  if (kind !== 'in-doubt') return { action: 'restart' };
  if (source.type !== 'tool') throw new Error('a doubt about nothing');
  const { amount } = source.input as { amount: number };
  const done = disk.effects.includes(`${source.name} ${amount}`);
  const output = source.name === 'pay' ? `paid ${amount}` : `sent ${amount}`;
  return done ? { action: 'respond', output } : { action: 'retry' };
}

/** One process from the fold of the journal to its death, or to the end of the session. */
async function live(disk: Disk, process: Process): Promise<void> {
  place = { process, disk };
  const options = { model: modelOf(disk), tools: TOOLS, clock: fakeClock(), runId: 'session' };
  for (;;) {
    const events = run(fold(disk.events), options, new AbortController().signal);
    for (let step = await events.next(); step.done !== true; step = await events.next()) {
      if (step.value.durable) process.append(step.value.events);
    }
    const [interrupt] = openInterrupts(fold(disk.events));
    if (interrupt === undefined) return;
    const { id, digest } = interrupt;
    const resolution = decide(interrupt, disk);
    process.append([{ type: 'interrupt-resolved', id, digest, resolution, by: ANN, resolvedAt: AT }]);
  }
}

/** Processes that die at these points, one after the other, and a last one that lives. */
async function session(...deaths: readonly number[]): Promise<{ disk: Disk; died: readonly boolean[] }> {
  const disk = new Disk();
  const died: boolean[] = [];
  for (const dieAt of [...deaths, Infinity]) {
    const process = new Process(disk, dieAt);
    try {
      await live(disk, process);
    } catch (error) {
      if (!(error instanceof Death)) throw error;
    }
    died.push(!process.alive);
    if (process.alive) break;
  }
  return { disk, died };
}

function endOf(state: RunState): object {
  // A reply without requests ends a run by itself; the record of it is for readers.
  return { view: state.view.toArray(), ended: state.ended ?? { type: 'done' } };
}

const whole = await session();
const END = endOf(fold(whole.disk.events));

function expectSameEnd(disk: Disk): void {
  expect(endOf(fold(disk.events))).toEqual(END);
  expect([...disk.effects].sort()).toEqual(['pay 1', 'pay 4', 'send 2']);
  const told = disk.events.filter(
    ({ type }, index) => type === 'run-ended' && index < disk.events.length - 1,
  );
  expect(told).toEqual([]);
}

describe('a session with three parallel tools and three interrupts', () => {
  test('ends with every payment made once, when nothing dies', () => {
    expectSameEnd(whole.disk);
    expect(fold(whole.disk.events).view.at(-1)?.content).toEqual([textPart('all done')]);
  });

  test('ends alike after a death before or after any event (laws 1 and 2, G9, G10)', async () => {
    let points = 0;
    for (let dieAt = 0; ; dieAt += 1) {
      const { disk, died } = await session(dieAt);
      if (died[0] !== true) break;
      expectSameEnd(disk);
      points += 1;
    }
    expect(points).toBe(2 * (whole.disk.events.length - 1));
    // oxlint-disable-next-line no-console -- a crash test that tried nothing must be seen
    console.log(`crash points: ${points} deaths, one a session`);
  });

  test('ends alike after two deaths, at any two points', { timeout: 120_000 }, async () => {
    let pairs = 0;
    for (let first = 0, more = true; more; first += 1) {
      for (let second = triesAll ? 0 : first % EVERY; ; second += triesAll ? 1 : EVERY) {
        const { disk, died } = await session(first, second);
        if (died[0] !== true) more = false;
        if (died[1] !== true) break;
        expectSameEnd(disk);
        pairs += 1;
      }
    }
    expect(pairs).toBeGreaterThan(triesAll ? 500 : 200);
    // oxlint-disable-next-line no-console -- a crash test that tried nothing must be seen
    console.log(`crash points: ${pairs} pairs of deaths`);
  });

  test('asks about what lasts, and never about what has no effect (law 8)', async () => {
    let doubts = 0;
    for (let dieAt = 0; ; dieAt += 1) {
      const { disk, died } = await session(dieAt);
      if (died[0] !== true) break;
      const raised = disk.events.flatMap((event) =>
        event.type === 'interrupt-raised' && event.interrupt.kind === 'in-doubt' ? [event.interrupt] : [],
      );
      for (const { source } of raised) expect(source).not.toMatchObject({ name: 'look' });
      doubts += raised.length;
    }
    expect(doubts).toBeGreaterThan(0);
  });
});
