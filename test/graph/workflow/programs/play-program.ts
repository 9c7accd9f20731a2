// Plays a random program by the product: one thing happens at a time, by a schedule, with deaths in between; and tells
// the reference what came of each part, in the order of the journal.
import type { Interrupt, JsonValue, RunState, SessionEvent } from '../../../../src/core/index.js';
import { emptyState, fold, isHitlError, openInterrupts } from '../../../../src/core/index.js';
import type { Graph, WorkflowContext } from '../../../../src/graph/index.js';
import { runGraph, workflow } from '../../../../src/graph/index.js';
import { scene } from '../../../engine/drive.js';
import { decide } from '../../drive-graph.js';
import type { Part } from './program.js';
import { Reference } from './reference.js';

/** The bodies that run now, and what they did outside. */
class World {
  readonly running = new Map<string, () => void>();
  /** How often each effect happened. */
  readonly effects = new Map<string, number>();

  body(part: Part & { readonly do: 'step' }, key: string, signal: AbortSignal): Promise<string> {
    return new Promise((gives, fails) => {
      signal.addEventListener('abort', () => {
        this.running.delete(key);
        fails(new Error('told to stop'));
      });
      this.running.set(key, () => {
        this.running.delete(key);
        if (part.fails) {
          fails(new Error(`${part.name} failed`));
          return;
        }
        if (part.effect === 'once') this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
        gives(`${key} done`);
      });
    });
  }
}

type Flow = WorkflowContext;

async function sequence(body: readonly Part[], ctx: Flow, world: World): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const part of body) results.push(await run(part, ctx, world));
  return results;
}

async function run(part: Part, ctx: Flow, world: World): Promise<unknown> {
  switch (part.do) {
    case 'step':
      return ctx.step(part.name, ({ key, signal }) => world.body(part, key, signal), { effect: part.effect });
    case 'ask':
      return ctx.ask(part.name, { prompt: part.name });
    case 'event':
      return ctx.event(part.name);
    case 'sleep':
      await ctx.sleep(part.name, '1h');
      return 'slept';
    case 'loop': {
      const results: unknown[] = [];
      for (let round = 0; round < part.times; round += 1) results.push(await sequence(part.body, ctx, world));
      return results;
    }
    case 'attempt':
      try {
        return await sequence(part.body, ctx, world);
      } catch (error) {
        return [error instanceof Error ? error.message : '', await sequence(part.rollback, ctx, world)];
      }
    case 'settled': {
      const ends = await ctx.settled(part.name, bodies(part.branches, world));
      return Object.fromEntries(
        Object.entries(ends).map(([name, end]) => [
          name,
          end.status === 'fulfilled' ? { value: end.value } : { error: messageOf(end.reason) },
        ]),
      );
    }
    case 'all':
      return ctx.all(part.name, bodies(part.branches, world));
    case 'any':
      return ctx.any(part.name, bodies(part.branches, world));
    case 'race':
      return ctx.race(part.name, bodies(part.branches, world));
  }
}

function bodies(branches: Readonly<Record<string, readonly Part[]>>, world: World) {
  return Object.fromEntries(
    Object.entries(branches).map(([name, body]) => [name, (inner: Flow) => sequence(body, inner, world)]),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** One choice of a schedule: a number from 0 up to, and without, `below`. */
export type Choose = (below: number) => number;

/** A difference between the product and what the program means. */
export class Differs extends Error {}

/** Plays a program to its end, and gives how many deaths there were. @throws Differs */
export async function playProgram(program: readonly Part[], choose: Choose): Promise<number> {
  const world = new World();
  const flow = workflow('flow', (ctx) => sequence(program, ctx, world));
  const reference = new Reference(program);
  await ticks();
  let state: RunState = emptyState();
  let deaths = 0;
  /** The effects that happened and of which the journal knows nothing yet. */
  const unknown = new Set<string>();
  for (let rests = 0; rests < 200; rests += 1) {
    const played = await untilRest(state, flow, { world, reference, choose, mayDie: deaths < 4, unknown });
    state = played.state;
    if (played.died) {
      deaths += 1;
      continue;
    }
    if (played.ended) {
      compareEnd(state, reference, world);
      return deaths;
    }
    const open = openInterrupts(state);
    if (open.length === 0) throw new Differs('it rests with nothing open (O2)');
    const doubt = open.find(({ kind }) => kind === 'in-doubt');
    if (doubt !== undefined) {
      state = await answerDoubt(state, doubt, { reference, unknown });
      continue;
    }
    if (reference.undecided.length > 0) throw new Differs(`undecided: ${reference.undecided.join()}`);
    const asked = open.map(keyOf).sort();
    const meant = reference.waiting('outside');
    if (asked.join() !== meant.join()) throw new Differs(`open: ${asked.join()}; meant: ${meant.join()}`);
    const pick = open[choose(open.length)];
    if (pick === undefined) throw new Error('no choice');
    state = await answered(state, pick, reference);
  }
  throw new Differs('it does not end');
}

interface Play {
  readonly world: World;
  readonly reference: Reference;
  readonly choose: Choose;
  readonly mayDie: boolean;
  readonly unknown: Set<string>;
}

/** Runs the code until it rests, ends or dies; bodies come to their ends one at a time. */
async function untilRest(
  from: RunState,
  flow: Graph,
  { world, reference, choose, mayDie, unknown }: Play,
): Promise<{ readonly state: RunState; readonly died: boolean; readonly ended: boolean }> {
  let state = from;
  const life: { isDead: boolean; isDone: boolean; failure?: unknown } = { isDead: false, isDone: false };
  let idle = 0;
  const told: SessionEvent[] = [];
  const finish = (key: string): void => {
    const before = world.effects.get(key) ?? 0;
    world.running.get(key)?.();
    if ((world.effects.get(key) ?? 0) > before) unknown.add(key);
  };
  /** A disk takes its time. */
  const diedWithin = async (turns: number): Promise<boolean> => {
    await ticks(turns);
    return life.isDead;
  };
  const steps = runGraph(from, flow, { run: scene() }, new AbortController().signal);
  const driving = (async () => {
    for (;;) {
      const step = await steps.next();
      if (life.isDead) return;
      if (step.done === true) break;
      if (!step.value.durable) continue;
      if (await diedWithin(choose(3))) return;
      const saved = structuredClone(step.value.events);
      state = fold(saved, state);
      told.push(...saved);
    }
    life.isDone = true;
  })().catch((thrown: unknown) => {
    life.failure = thrown;
    life.isDone = true;
  });
  for (;;) {
    await ticks();
    await tell(told.splice(0), reference, unknown);
    const { failure } = life;
    if (failure !== undefined)
      throw new Differs(`it threw ${isHitlError(failure) ? failure.code : ''} ${messageOf(failure)}`);
    if (life.isDone) {
      await driving;
      return { state, died: false, ended: state.ended !== undefined };
    }
    const running = [...world.running.keys()].sort();
    if (running.length === 0) {
      idle += 1;
      if (idle > 50) throw new Differs('it neither rests nor does anything');
      continue;
    }
    idle = 0;
    if (mayDie && choose(6) === 0) {
      // Some bodies come to their end in the moment of death, and the journal does not know.
      life.isDead = true;
      for (const key of running.filter(() => choose(2) === 0)) finish(key);
      await ticks();
      await tell(told.splice(0), reference, unknown);
      world.running.clear();
      return { state, died: true, ended: false };
    }
    const key = running[choose(running.length)] ?? '';
    finish(key);
  }
}

/** Tells the reference what parts came to, as the journal has it. */
async function tell(
  events: readonly SessionEvent[],
  reference: Reference,
  unknown: Set<string>,
): Promise<void> {
  for (const event of events) {
    if (event.type === 'op-settled') {
      const { key, output } = event;
      if (/\bg\d+#\d+$/u.test(key) && typeof output === 'string') await reference.decide(key, output);
      if (output !== `${key} done`) continue;
      unknown.delete(key);
      await reference.settle(key, { value: output });
    }
    if (event.type === 'op-failed' && /^s\d+ failed$/u.test(event.error.message))
      await reference.settle(event.key, { error: event.error.message });
  }
}

function keyOf({ source }: Interrupt): string {
  return source.type === 'node' ? (source.operation ?? '') : '';
}

/** A person looks what happened, and says so. */
async function answerDoubt(
  state: RunState,
  doubt: Interrupt,
  { reference, unknown }: Pick<Play, 'reference' | 'unknown'>,
): Promise<RunState> {
  const payload = doubt.payload as { readonly step?: string };
  const key = payload.step ?? '';
  const isDoubt = (one: Interrupt): boolean => one.id === doubt.id;
  if (!unknown.delete(key)) return decide(state, { action: 'retry' }, isDoubt);
  await reference.settle(key, { value: `${key} done` });
  return decide(state, { action: 'respond', output: `${key} done` }, isDoubt);
}

async function answered(state: RunState, open: Interrupt, reference: Reference): Promise<RunState> {
  const key = keyOf(open);
  const isSleep = open.expiresAt !== undefined;
  const value: JsonValue = isSleep ? 'go on' : `${key} said`;
  await reference.settle(key, { value: isSleep ? 'slept' : `${key} said` });
  return decide(state, { action: 'respond', output: value }, (one) => one.id === open.id);
}

function compareEnd({ ended, graph }: RunState, { end }: Reference, world: World): void {
  const gave =
    ended?.type === 'done'
      ? { gave: graph?.state['flow'] }
      : { failed: ended?.type === 'failed' ? ended.error.message.replace(/^node `flow` failed: /u, '') : '' };
  if (JSON.stringify(gave) !== JSON.stringify(end))
    throw new Differs(`it came to ${JSON.stringify(gave)}; meant: ${JSON.stringify(end)}`);
  const twice = [...world.effects].filter(([, count]) => count > 1);
  if (twice.length > 0) throw new Differs(`done twice: ${twice.map(([key]) => key).join()}`);
}

/** Everything that follows by itself happens. */
async function ticks(count = 2): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}
