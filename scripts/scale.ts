// Runs a workflow of a size that nobody writes by hand: `tsx scripts/scale.ts chain 10000`, or `map 1000`.
// Prints what ran, and what it cost in time and memory. What runs is kept as a session on disk keeps it: as JSON.
import type { GraphBuilder, RunState, SessionEvent } from '../src/index.js';
import { emptyState, fold, graph, runGraph, systemClock, toolSet } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';

const MEBIBYTE = 1024;

/** A chain of nodes, of which each counts one up. */
function chain(size: number): GraphBuilder {
  const builder = graph('chain', { maxIterations: size + 1, reducers: { count: 'sum' } });
  for (let n = 0; n < size; n += 1) {
    builder.fn(`n${n}`, () => ({ patch: { count: 1 } }), { effect: 'none' });
    if (n > 0) builder.edge(`n${n - 1}`, `n${n}`);
  }
  return builder.end(`n${size - 1}`);
}

/** One node with so many branches, 50 at once; their results are added up. */
function map(size: number): GraphBuilder {
  return graph('map')
    .map('count', {
      items: () => Array.from({ length: size }, () => 1),
      worker: { kind: 'function', run: ({ item }) => ({ output: item ?? 0 }), effect: 'none' },
      maxParallel: 50,
      reduce: (results) => results.reduce((sum: number, one) => sum + (typeof one === 'number' ? one : 0), 0),
    })
    .end('count');
}

async function drive(built: ReturnType<GraphBuilder['build']>): Promise<{ state: RunState; events: number }> {
  const run = { model: scriptedModel([]), tools: toolSet([]), clock: systemClock, runId: 'scale' };
  let state = emptyState();
  let events = 0;
  for (const steps = runGraph(state, built, { run }, new AbortController().signal); ;) {
    const step = await steps.next();
    if (step.done === true) return { state, events };
    if (!step.value.durable) continue;
    const kept: readonly SessionEvent[] = structuredClone(step.value.events);
    state = fold(kept, state);
    events += kept.length;
  }
}

const [shape = 'chain', count = '10000'] = process.argv.slice(2);
const size = Number(count);
if ((shape !== 'chain' && shape !== 'map') || !(size >= 1))
  throw new Error('say `chain` or `map`, and how many');
const built = (shape === 'chain' ? chain(size) : map(size)).build();
const begun = process.hrtime.bigint();
const { state, events } = await drive(built);
const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
const peak = process.resourceUsage().maxRSS / MEBIBYTE;
const counted = state.graph?.state['count'];
process.stdout.write(
  `${shape} of ${size}: ${state.ended?.type ?? 'not ended'}, counted ${JSON.stringify(counted)}, ${events} events\n` +
    `${shape} of ${size}: ${seconds.toFixed(1)} s, at most ${peak.toFixed(0)} MiB\n`,
);
