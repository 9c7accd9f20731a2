import type { Activation, RunState } from '../../core/index.js';
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
    runs = plans.map((plan) => branchRun(loop, current, plan, mayChange));
  } catch (thrown) {
    yield* loop.fail(current, recordOf(thrown));
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

function branchRun(
  loop: GraphLoop,
  current: Activation,
  { key, graph, inherit, set }: BranchPlan,
  mayChange: boolean,
): BranchRun {
  const { options, place: own } = inside(loop, current, { path: joinPaths(loop.pathOf(current), key), set });
  const place = inherit ? { ...own, base: loop.frame() } : own;
  return {
    key,
    scope: joinPaths(activationId(current), key),
    run: (state, signal) => loop.inner(state, { graph, options, place }, signal),
    rest: (state) => (mayChange ? undefined : restOf(state, graph)),
  };
}

/** Many branches may wait while one is answered: they are not started to find that out. */
function restOf(state: RunState, graph: Graph): RunOutcome | undefined {
  if (state.ended?.type === 'done') return { type: 'ended', reason: state.ended, state };
  if (state.graph === undefined || acceptance(state.graph, graph).type !== 'same') return undefined; // running it says so
  const step = nextGraphStep(state, graph);
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
