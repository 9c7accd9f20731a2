// Sizes that nobody reaches by hand: long chains, wide maps, many open questions, long queues, full stores.
import * as z from 'zod';

import { product } from '../harness/places.mjs';
import { processorUs } from './conversation.mjs';
import { fullStore } from './full-store.mjs';
import {
  countingModel,
  NOBODY,
  runOptions,
  SAID,
  SILENT,
  temporaryStore,
  withoutFlush,
} from './hitl-engine.mjs';

const hitl = await product('lib/index.js');
const { converse, defineTool, emptyState, evolve, openInterrupts, repl, runGraph } = hitl;
const { InterruptFactory } = await product('src/engine/index.js');

/** The size that does not count, before the one that does. */
const WARM_UP = 50;

const person = { type: 'person', name: 'bench', via: 'terminal' };

/** Runs a graph to its end, folding its events as a session does. */
async function driveGraph(built, start = {}) {
  let state = emptyState();
  const options = { run: runOptions(countingModel(0), []), start };
  const steps = runGraph(state, built, options, new AbortController().signal);
  for (;;) {
    const step = await steps.next();
    if (step.done === true) {
      if (step.value.type !== 'ended' || step.value.reason.type !== 'done')
        throw new Error(JSON.stringify(step.value.reason));
      return state;
    }
    if (step.value.durable) for (const event of step.value.events) state = evolve(state, event);
  }
}

async function chain(size, options) {
  const builder = hitl.graph('chain', { maxIterations: size + 1 });
  for (let n = 0; n < size; n += 1) builder.fn(`n${n}`, () => n, options);
  for (let n = 1; n < size; n += 1) builder.edge(`n${n - 1}`, `n${n}`);
  await driveGraph(builder.end(`n${size - 1}`).build());
}

const programs = {
  /** A chain of nodes, each with an output of its own. */
  chain: (size) => chain(size, { effect: 'none' }),

  /** A chain of nodes whose outputs the state does not keep. */
  chainWithoutOutputs: (size) => chain(size, { effect: 'none', outputKey: false }),

  /** Branches of one map, 50 at once. */
  async map(size) {
    const items = Array.from({ length: size }, (_, n) => n);
    const worker = { kind: 'function', run: async ({ item }) => item * 2, effect: 'none' };
    const built = hitl
      .graph('map')
      .map('all', { items: () => items, worker, maxParallel: 50 })
      .end('all')
      .build();
    const { graph } = await driveGraph(built);
    if (graph.state.all.length !== size) throw new Error(`${graph.state.all.length} results`);
  },

  /** Calls of one message that wait for a person, answered in a shuffled order, then run. */
  async interrupts(size) {
    withoutFlush();
    const { store, remove } = await temporaryStore();
    const session = await store.create({ agent: { model: 'none', tools: [] } });
    const input = z.object({ n: z.number() });
    const definition = { name: 'pay', description: 'Pays.', input, effect: 'none' };
    const pay = defineTool(definition, ({ n }) => n);
    await session.append([SAID, ...waitingCalls(size, pay)]);
    const run = runOptions(countingModel(0), [pay]);
    await answerAll(size, { session, run });
    remove();
  },

  /** Branches of one map that each ask a person, answered in a shuffled order. */
  async questions(size) {
    withoutFlush();
    const { store, remove } = await temporaryStore();
    const session = await store.create({ agent: { model: 'none', tools: [] } });
    const items = Array.from({ length: size }, (_, n) => n);
    const worker = { kind: 'human', question: () => ({ prompt: 'Which?' }) };
    const built = hitl
      .graph('ask')
      .map('all', { items: () => items, worker, maxParallel: 50 })
      .end('all')
      .build();
    const run = runOptions(countingModel(0), []);
    const flow = {
      run: (state, signal) => runGraph(state, built, { run, start: {} }, signal),
      toolsAt: async () => run.tools,
    };
    await answerAll(size, { session, run, flow });
    remove();
  },

  /** Messages that are sent to a session, and delivered to it at once. */
  async queue(size) {
    withoutFlush();
    const { store, remove } = await temporaryStore();
    const session = await store.create({ agent: { model: 'none', tools: [] } });
    await session.append([SAID]);
    const { signal } = new AbortController();
    const queue = store.mail(session.id);
    for (let n = 0; n < size; n += 1) {
      await queue.send({ text: `message ${n}`, from: person }, { maxQueue: size }, signal);
    }
    const taken = await session.inbox().take({ path: '', phase: 'before' }, signal);
    await session.append(taken.events);
    taken.release();
    if (taken.messages.length !== size) throw new Error(`${taken.messages.length} messages`);
    await session[Symbol.asyncDispose]();
    remove();
  },

  /** Messages that wait for their turn, each answered by the model. */
  async messages(size) {
    withoutFlush();
    const { store, remove } = await temporaryStore();
    const session = await store.create({ agent: { model: 'none', tools: [] } });
    let taken = 0;
    const turns = {
      next: async () => {
        taken += 1;
        return taken > size
          ? { type: 'end', why: 'all were said' }
          : { type: 'message', text: `message ${taken}` };
      },
    };
    await repl(
      {
        session,
        turns,
        run: runOptions(countingModel(0), []),
        channel: NOBODY,
        renderer: SILENT,
        beginWork: () => new AbortController().signal,
        command: async () => 'handled',
      },
      new AbortController().signal,
    );
    if (session.state.turns !== size) throw new Error(`${session.state.turns} turns`);
    remove();
  },

  /** Sessions of one store, listed without an index and then with one. */
  async sessions(size) {
    const { store, remove } = await fullStore(size);
    const begun = { us: processorUs(), wall: performance.now() };
    for (let time = 0; time < 2; time += 1) {
      let count = 0;
      for await (const _ of store.list()) count += 1;
      if (count !== size) throw new Error(`${count} sessions`);
    }
    const numbers = { cpuMs: (processorUs() - begun.us) / 1000, ms: performance.now() - begun.wall };
    remove();
    return numbers;
  },
};

/**
 * A message of so many calls that all wait. As its events, which no run tells today: of one reply 50 calls start, and
 * journals from before that hold more.
 */
function waitingCalls(size, { name, inputSchema }) {
  const calls = Array.from({ length: size }, (_, n) => ({ ref: `call_${n}`, name, input: { n } }));
  const content = calls.map((call) => ({ type: 'tool-request', ...call }));
  const draft = { kind: 'confirmation', payload: {}, inputSchema };
  const numbers = new InterruptFactory(0, () => 0);
  return [
    { type: 'message-added', message: { role: 'model', content }, end: 'tool-use' },
    ...calls.map((call) => ({
      type: 'interrupt-raised',
      interrupt: numbers.make({ ...draft, source: { type: 'tool', ...call, raisedBy: 'approval' } }),
    })),
  ];
}

/** Answers every question of a session, each time one by chance, and has it run to its end. */
async function answerAll(size, { session, run, flow }) {
  const random = generator(size);
  let most = 0;
  const channel = {
    ask: async (open) => {
      most = Math.max(most, open.length);
      const { id, digest, kind } = open[Math.floor(random() * open.length)];
      const resolution = kind === 'question' ? { action: 'respond', output: 'this' } : { action: 'restart' };
      return { type: 'answered', answer: { id, digest, resolution, by: person } };
    },
  };
  const options = { session, run, channel, renderer: SILENT, ...(flow && { flow }) };
  const rest = await converse(options, new AbortController().signal);
  if (rest.type !== 'ended' || openInterrupts(session.state).length > 0)
    throw new Error(JSON.stringify(rest));
  if (most !== size) throw new Error(`at most ${most} were open at once`);
  await session[Symbol.asyncDispose]();
}

/** Numbers from 0 up to 1 that look like chance and are the same each time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** @param params `{ what, size }` */
export async function measure({ what, size }) {
  await programs[what](Math.min(WARM_UP, size));
  globalThis.gc?.();
  const start = { wall: performance.now(), us: processorUs() };
  const extra = await programs[what](size);
  return { cpuMs: (processorUs() - start.us) / 1000, ms: performance.now() - start.wall, ...extra };
}
