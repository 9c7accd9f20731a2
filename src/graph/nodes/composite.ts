import type { Activation, RunState, Start } from '../../core/index.js';
import { activationId } from '../../core/index.js';
import type { BranchPlan, BranchRules, BranchRun, Composite, GraphLoop, NodeRest } from '../run/index.js';
import {
  branchesOf,
  inside,
  joinPaths,
  judge,
  mergedEvents,
  nextGraphStep,
  recordOf,
  runBranches,
} from '../run/index.js';
import type { RunOutcome } from '../../engine/index.js';
import { acceptance } from '../definition/index.js';
import type { Graph } from '../graph-definition.js';

/** Runs the graphs inside a node until all are at rest; joins them once none of them is needed any more (P-11, P-12). */
export async function* runComposite(
  loop: GraphLoop,
  { current, node }: { readonly current: Activation; readonly node: Composite },
  signal: AbortSignal,
): NodeRest {
  let runs: readonly BranchRun[];
  try {
    const waiting = (await loop.options.steering?.inbox.waiting()) ?? [];
    const mayChange = waiting.length > 0;
    const plans = branchesOf(node, {
      name: current.node,
      state: loop.frame().values,
      frames: current.frames,
      reducers: loop.graph.reducers,
    });
    const around = inside(loop, current, { path: loop.pathOf(current), set: {} }); // the same for all: there may be many
    runs = plans.map((plan) => branchRun({ loop, current, around, mayChange }, plan));
  } catch (thrown) {
    yield* loop.fail(current, recordOf(thrown), thrown);
    return undefined;
  }
  const host = { frames: () => loop.current().frames, tell: loop.tell.bind(loop) };
  const rules = rulesOf(node, runs.length);
  const ends = yield* runBranches(runs, host, rules, signal);
  if (signal.aborted) return undefined;
  const keys = runs.map(({ key }) => key);
  const verdict = judge(loop.current(), keys, ends, rules);
  switch (verdict.type) {
    case 'waiting':
      return { type: 'interrupted', interrupts: verdict.interrupts, state: loop.state };
    case 'cancelled':
      return yield* loop.end({ type: 'aborted' });
    case 'failed':
      yield* loop.fail(current, verdict.error);
      return undefined;
    case 'joined': {
      const joined = loop.current();
      const around = { graph: loop.graph, state: loop.frame().values };
      yield* loop.give(joined, () => mergedEvents(node, joined, verdict.branches, around));
      return undefined;
    }
  }
}

/** The branches of a node, before they are run. */
interface Branches {
  readonly loop: GraphLoop;
  readonly current: Activation;
  readonly around: ReturnType<typeof inside>;
  /** Others have sent something: what waits may change. */
  readonly mayChange: boolean;
}

function branchRun(
  { loop, current, around, mayChange }: Branches,
  { key, graph, inherit, set }: BranchPlan,
): BranchRun {
  const base = inherit ? loop.frame() : undefined;
  return {
    key,
    scope: joinPaths(activationId(current), key),
    run: (state, signal) => {
      const options = { ...around.options, start: { set } };
      const path = joinPaths(around.place.path, key);
      const place = { ...around.place, path, ...(base !== undefined && { base }) };
      return loop.inner(state, { graph, options, place }, signal);
    },
    rest: (state) => (mayChange ? undefined : restOf(state, graph, loop.start)),
  };
}

/** Many branches may wait while one is answered: they are not started to find that out. */
function restOf(state: RunState, graph: Graph, start: Start): RunOutcome | undefined {
  if (state.ended?.type === 'done') return { type: 'ended', reason: state.ended, state };
  if (state.graph === undefined || acceptance(state.graph, graph).type !== 'same') return undefined; // running it says so
  const step = nextGraphStep(state, graph, start);
  return step.type === 'await-human'
    ? { type: 'interrupted', interrupts: step.interrupts, state }
    : undefined;
}

function rulesOf(node: Composite, size: number): BranchRules {
  if (node.kind === 'group')
    return { join: node.join ?? 'all', policy: node.onBranchError ?? 'fail-fast', maxParallel: size };
  return {
    join: 'all',
    policy: 'fail-fast',
    maxParallel: node.kind === 'map' ? (node.maxParallel ?? 5) : size,
  };
}
