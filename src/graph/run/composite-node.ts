import type {
  Activation,
  RunState,
  Start,
  ErrorRecord,
  GraphFrame,
  GraphState,
  Interrupt,
  JsonObject,
  JsonValue,
  PersistentMap,
  SessionEvent,
} from '../../core/index.js';
import {
  activationId,
  recordOf,
  HitlError,
  livePath,
  openInterrupts,
  present,
  reduceValue,
} from '../../core/index.js';
import type { BranchRules, BranchRun, BranchEnds } from './run-branches.js';
import { runBranches, isFailure, isSuccess, neededOf } from './run-branches.js';
import type { GraphLoop, NodeRest } from './graph-loop.js';
import { joinPaths } from './graph-loop.js';
import { inside } from './inside.js';
import { nextGraphStep } from './next-graph-step.js';
import type { RunOutcome } from '../../engine/index.js';
import { acceptance } from '../definition/acceptance.js';
import type {
  Graph,
  ChooseNode,
  GroupNode,
  MapNode,
  NodeDefinition,
  OnConflict,
  SubgraphNode,
} from '../definition/graph-definition.js';
import { singleNode } from '../definition/define-graph.js';
import type { Branch } from '../state/merge.js';
import { mergeBranches } from '../state/merge.js';
import type { Reducers } from '../state/reducers.js';
import { reducerOf } from '../state/reducers.js';
import { checkPatch } from '../state/check-state.js';
import { settledEvent } from './settle-node.js';
import { MAP_ITEM } from '../definition/inner-nodes.js';

/**
 * Runs the graphs inside a node until all have stopped or the remaining ones are not needed, and then joins
 * them (P-11, P-12).
 */
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
      const joining = { graph: loop.graph, node, current: joined, state: loop.frame().values };
      yield* loop.give(joined, () => mergedEvents(joining, verdict.branches));
      return undefined;
    }
  }
}

/** Context for preparing the branches of a node. */
interface Branches {
  readonly loop: GraphLoop;
  readonly current: Activation;
  readonly around: ReturnType<typeof inside>;
  /** Whether a message has arrived. A message may change what the branches are waiting for. */
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

/**
 * Returns the outcome of a branch that has ended or is waiting, without starting the branch. Many branches
 * may be waiting when only one has been answered.
 */
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

/** A node that runs inner graphs. */
export type Composite = ChooseNode | GroupNode | MapNode | SubgraphNode;

/** Describes a branch to start. */
export interface BranchPlan {
  /** `''` for a single branch. */
  readonly key: string;
  readonly graph: Graph;
  /** Whether the branch starts with the enclosing graph's state. */
  readonly inherit: boolean;
  readonly set: JsonObject;
}

export interface PlanOptions {
  readonly name: string;
  readonly state: GraphState;
  /** Runs that have already started. They ensure that an earlier choice is not made again (P-1). */
  readonly frames: PersistentMap<RunState>;
  readonly reducers: Reducers;
}

/** Returns the branches of a node. @throws HitlError NODE_FAILED if the node chose an unknown candidate. */
function branchesOf(node: Composite, options: PlanOptions): readonly BranchPlan[] {
  const { name, state, frames, reducers } = options;
  switch (node.kind) {
    case 'choose': {
      const chosen = frames.get('')?.graph?.start ?? choose(node, state.plain, name);
      const candidate = node.candidates[chosen];
      if (candidate === undefined) throw noSuchChoice(node, chosen, name);
      return [{ key: '', graph: singleNode(chosen, candidate, reducers), inherit: true, set: {} }];
    }
    case 'group':
      return Object.entries(node.members).map(([key, member]) => ({
        key,
        graph: singleNode(key, member, reducers),
        inherit: true,
        set: {},
      }));
    case 'map': {
      const graph = singleNode(MAP_ITEM, seesItem(node.worker), reducers);
      return node
        .items(state.plain)
        .map((item, index) => ({ key: String(index), graph, inherit: true, set: { item, index } }));
    }
    case 'subgraph':
      return [
        {
          key: '',
          graph: node.graph,
          inherit: node.state === 'shared',
          set: checkPatch(node.input?.(state.plain), { node: name }).set,
        },
      ];
  }
}

/**
 * Makes an isolated graph that is used as a worker receive its item by default, since it starts with an empty
 * state.
 */
function seesItem(worker: NodeDefinition): NodeDefinition {
  switch (worker.kind) {
    case 'subgraph': {
      if (worker.state === 'shared' || worker.input !== undefined) return worker;
      return { ...worker, input: ({ item = null, index = null }) => ({ item, index }) };
    }
    case 'choose':
      return { ...worker, candidates: seeItem(worker.candidates) };
    case 'group':
      return { ...worker, members: seeItem(worker.members) };
    case 'function':
    case 'agent':
    case 'tool':
    case 'human':
    case 'map':
    case 'workflow':
      return worker;
  }
}

function seeItem(nodes: Readonly<Record<string, NodeDefinition>>): Readonly<Record<string, NodeDefinition>> {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, seesItem(node)]));
}

function choose(node: ChooseNode, state: JsonObject, name: string): string {
  const wanted = node.select(state);
  if (Object.hasOwn(node.candidates, wanted)) return wanted;
  if (node.fallback !== undefined) return node.fallback;
  throw noSuchChoice(node, wanted, name);
}

function noSuchChoice({ candidates }: ChooseNode, wanted: string, name: string): HitlError {
  return new HitlError('NODE_FAILED', `\`${name}\` chose \`${wanted}\`, which is not a candidate`, {
    hint: `the candidates are: ${Object.keys(candidates).join(', ')}`,
  });
}

/** The combined result of a node's branches. */
export type Verdict =
  | { readonly type: 'joined'; readonly branches: readonly string[] }
  | { readonly type: 'waiting'; readonly interrupts: readonly Interrupt[] }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly error: ErrorRecord };

/** Determines the combined result of branches that have stopped (P-8, P-10, P-11). */
function judge(
  current: Activation,
  keys: readonly string[],
  ends: BranchEnds,
  { join, policy }: BranchRules,
): Verdict {
  const succeeded = keys.filter((key) => isSuccess(ends.get(key)));
  const failed = keys.filter((key) => isFailure(ends.get(key)));
  if (join !== 'all' && succeeded.length >= neededOf(join, keys.length))
    return { type: 'joined', branches: succeeded };
  if (policy === 'fail-fast' && failed.length > 0) return { type: 'failed', error: errorOf(failed, ends) };
  if ([...ends.values()].some(({ type }) => type === 'interrupted')) {
    const open: Interrupt[] = [];
    for (const frame of current.frames.values())
      for (const interrupt of openInterrupts(frame)) open.push(interrupt);
    return { type: 'waiting', interrupts: open };
  }
  if ([...ends.values()].some((end) => end.type === 'ended' && end.reason.type === 'aborted'))
    return { type: 'cancelled' };
  const isEnough = policy === 'continue' && join === 'all' && succeeded.length > 0;
  return failed.length === 0 || isEnough
    ? { type: 'joined', branches: succeeded }
    : { type: 'failed', error: errorOf(failed, ends) };
}

function errorOf(failed: readonly string[], ends: BranchEnds): ErrorRecord {
  const messages = failed.map((key) => {
    const end = ends.get(key);
    const why =
      end?.type === 'ended' && end.reason.type === 'failed'
        ? end.reason.error.message
        : 'it stopped at a limit';
    return key === '' ? why : `branch \`${key}\`: ${why}`;
  });
  return { code: 'NODE_FAILED', message: messages.join('; ') };
}

/** The node, graph and state for joining branches. */
interface Joining {
  readonly graph: Graph;
  readonly node: Composite;
  readonly current: Activation;
  readonly state: GraphState;
}

interface EndedBranch {
  readonly key: string;
  readonly frame: GraphFrame;
}

/**
 * Returns the events that join the branches. Branches are joined once and in declaration order, regardless of
 * their timing (P-12).
 * @throws HitlError MERGE_CONFLICT, BAD_STATE
 */
function mergedEvents(joining: Joining, keys: readonly string[]): readonly SessionEvent[] {
  const { node, current } = joining;
  const ended = keys.flatMap((key): readonly EndedBranch[] => {
    const frame = current.frames.get(key)?.graph;
    return frame === undefined ? [] : [{ key, frame }];
  });
  if (node.kind === 'map') return [mappedEvent(joining, node, ended)];
  if (node.kind === 'subgraph' && node.state !== 'shared') return [isolatedEvent(joining, node, ended)];
  return sharedEvents(joining, ended);
}

/** Returns the event with a `map`'s results, reduced if it has a `reduce`. */
function mappedEvent(joining: Joining, node: MapNode, ended: readonly EndedBranch[]): SessionEvent {
  const { current, state } = joining;
  const results = ended.map(({ key, frame }) => resultOf(current.node, key, frame));
  const output = node.reduce === undefined ? results : node.reduce(results, state.plain);
  return settledEvent(current, { output }, joining);
}

/**
 * Returns the event with an isolated graph's result: its last output, or the changes that its node's `result`
 * returns.
 */
function isolatedEvent(joining: Joining, node: SubgraphNode, [only]: readonly EndedBranch[]): SessionEvent {
  const result =
    node.result === undefined
      ? { output: lastOutput(only) }
      : { patch: node.result(only?.frame.state ?? {}) };
  return settledEvent(joining.current, result, joining);
}

/** Returns the events that merge the branches' writes into the shared state. */
function sharedEvents(joining: Joining, ended: readonly EndedBranch[]): readonly SessionEvent[] {
  const { graph, node, current, state } = joining;
  const branches = ended.map(writtenBy);
  const onConflict = node.kind === 'group' ? (node.onConflict ?? 'error') : 'last';
  const merge = mergeBranches(state.plain, branches, { reducers: graph.reducers, onConflict });
  if (merge.type === 'conflict') throw merge.error;
  const { writes, conflicts } = merge;
  const output = node.kind === 'choose' || node.kind === 'subgraph' ? lastOutput(ended[0]) : undefined;
  const chosen = node.kind === 'choose' ? ownOutput(joining, node, output) : undefined;
  return [
    ...conflicts.map((conflict) => conflictEvent(current, conflict, onConflict)),
    {
      type: 'node-settled',
      node: current.node,
      visit: current.visit,
      ...(output !== undefined && { output }),
      changes: { ...writes, set: { ...chosen?.changes.set, ...writes.set } },
      patch: {
        set: { ...chosen?.patch?.set, ...contributed(branches, graph.reducers) },
        ...(writes.unset !== undefined && { unset: writes.unset }),
      },
    },
  ];
}

function lastOutput(branch: EndedBranch | undefined): JsonValue | undefined {
  return branch && livePath(branch.frame).at(-1)?.output?.value;
}

function writtenBy({ key, frame }: EndedBranch): Branch {
  const contributions = livePath(frame).flatMap(({ node, patch }) =>
    patch === undefined ? [] : [{ node, patch }],
  );
  return { name: key, state: frame.state, contributions };
}

function conflictEvent(
  { node, visit }: Activation,
  {
    key,
    values,
  }: Extract<ReturnType<typeof mergeBranches>, { readonly type: 'merged' }>['conflicts'][number],
  onConflict: OnConflict,
): SessionEvent {
  const branches = values.map(({ branch }) => branch);
  const taken = onConflict === 'first' ? branches[0] : branches.at(-1);
  return { type: 'conflict-found', node, visit, key, branches, ...present({ taken }) };
}

/**
 * Also stores the chosen candidate's output under the key of the choose node, so that later nodes do not need
 * to know the candidates.
 */
function ownOutput(
  joining: Joining,
  node: ChooseNode,
  output: JsonValue | undefined,
): ReturnType<typeof settledEvent> | undefined {
  return output === undefined || node.outputKey === false
    ? undefined
    : settledEvent(joining.current, { output }, joining);
}

/**
 * Returns the result of an item. @throws HitlError NODE_FAILED if the worker only wrote to the state, because
 * such writes would be lost.
 */
function resultOf(map: string, key: string, frame: GraphFrame): JsonValue {
  const last = livePath(frame).at(-1);
  if (last?.output !== undefined) return last.output.value;
  const inner = last?.frames.get('')?.graph;
  if (inner !== undefined) return resultOf(map, key, inner);
  const { set = {}, unset = [] } = last?.patch ?? {};
  const [written] = [...Object.keys(set), ...unset];
  if (written === undefined) return null;
  const message = `item ${key} of \`${map}\` has no result: its worker returned no output, and its write to \`${written}\` is discarded`;
  throw new HitlError('NODE_FAILED', message, { hint: 'return an output from the worker' });
}

/**
 * Combines the branches' writes into one patch: all values of a key that has a built-in reducer, and the last
 * value of any other key.
 */
function contributed(branches: readonly Branch[], reducers: Reducers): JsonObject {
  const written = new Map<string, JsonValue>();
  for (const { patch } of branches.flatMap(({ contributions = [] }) => contributions)) {
    for (const [key, value] of Object.entries(patch.set)) {
      const reducer = reducerOf(reducers, key);
      const isBuiltin = reducer !== 'overwrite' && typeof reducer !== 'function';
      const all = isBuiltin ? reduceValue(reducer, written.get(key), value) : undefined;
      written.set(key, all ?? value);
    }
  }
  return Object.fromEntries(written);
}
