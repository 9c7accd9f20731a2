import type {
  Activation,
  ErrorRecord,
  GraphFrame,
  GraphState,
  Interrupt,
  JsonObject,
  JsonValue,
  PersistentMap,
  RunState,
  SessionEvent,
} from '../../core/index.js';
import { HitlError, livePath, openInterrupts, reduceValue } from '../../core/index.js';
import { singleNode } from '../define-graph.js';
import type {
  ChooseNode,
  Graph,
  GroupNode,
  MapNode,
  NodeDefinition,
  SubgraphNode,
} from '../graph-definition.js';
import type { Branch, Reducers } from '../state/index.js';
import { checkPatch, mergeBranches, reducerOf } from '../state/index.js';
import type { BranchEnds, BranchRules } from './run-branches.js';
import { isFailure, isSuccess, neededOf } from './run-branches.js';
import { settledEvent } from './settle-node.js';
import { MAP_ITEM } from '../inner-nodes.js';

/** A node that runs graphs inside of it. */
export type Composite = ChooseNode | GroupNode | MapNode | SubgraphNode;

/** A branch as it begins. */
export interface BranchPlan {
  /** `''` where there is only one. */
  readonly key: string;
  readonly graph: Graph;
  /** Begins with the state of the graph around it. */
  readonly inherit: boolean;
  readonly set: JsonObject;
}

export interface PlanOptions {
  readonly name: string;
  readonly state: GraphState;
  /** The runs that were begun: a choice that was made is not made again (P-1). */
  readonly frames: PersistentMap<RunState>;
  readonly reducers: Reducers;
}

/** The branches of a node. @throws HitlError NODE_FAILED for a choice that is not there. */
export function branchesOf(node: Composite, options: PlanOptions): readonly BranchPlan[] {
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

/** An isolated graph begins with nothing of the state around it: as a worker it is given its item where nobody says what. */
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

/** The verdict on the branches. */
export type Verdict =
  | { readonly type: 'joined'; readonly branches: readonly string[] }
  | { readonly type: 'waiting'; readonly interrupts: readonly Interrupt[] }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly error: ErrorRecord };

/** Judges branches that are at rest (P-8, P-10, P-11). */
export function judge(
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

/**
 * The events that join branches: once, in the order of declaration, whatever their timing (P-12).
 * @throws HitlError MERGE_CONFLICT, BAD_STATE
 */
export function mergedEvents(
  node: Composite,
  current: Activation,
  keys: readonly string[],
  { graph, state }: { readonly graph: Graph; readonly state: GraphState },
): readonly SessionEvent[] {
  const frames = keys.flatMap((key) => {
    const frame = current.frames.get(key)?.graph;
    return frame === undefined ? [] : [{ key, frame }];
  });
  const outputs = frames.map(({ frame }) => livePath(frame).at(-1)?.output?.value);
  const options = { graph, node, state };
  if (node.kind === 'map') {
    const results = frames.map(({ key, frame }) => resultOf(current.node, key, frame));
    return [
      settledEvent(
        current,
        { output: node.reduce === undefined ? results : node.reduce(results, state.plain) },
        options,
      ),
    ];
  }
  if (node.kind === 'subgraph' && node.state !== 'shared') {
    const inner = frames[0]?.frame.state ?? {};
    return [
      settledEvent(
        current,
        node.result === undefined ? { output: outputs[0] } : { patch: node.result(inner) },
        options,
      ),
    ];
  }
  const branches = frames.map(({ key, frame }): Branch => ({
    name: key,
    state: frame.state,
    contributions: livePath(frame).flatMap(({ node: writer, patch }) =>
      patch === undefined ? [] : [{ node: writer, patch }],
    ),
  }));
  const onConflict = node.kind === 'group' ? (node.onConflict ?? 'error') : 'last';
  const merge = mergeBranches(state.plain, branches, { reducers: graph.reducers, onConflict });
  if (merge.type === 'conflict') throw merge.error;
  const { node: name, visit } = current;
  const chosen = node.kind === 'choose' ? ownOutput(node, current, outputs[0], options) : undefined;
  const conflicts = merge.conflicts.map((conflict): SessionEvent => {
    const names = conflict.values.map(({ branch }) => branch);
    const taken = onConflict === 'first' ? names[0] : names.at(-1);
    return {
      type: 'conflict-found',
      node: name,
      visit,
      key: conflict.key,
      branches: names,
      ...(taken !== undefined && { taken }),
    };
  });
  const output = node.kind === 'choose' || node.kind === 'subgraph' ? outputs[0] : undefined;
  const settled: SessionEvent = {
    type: 'node-settled',
    node: name,
    visit,
    ...(output !== undefined && { output }),
    changes: { ...merge.writes, set: { ...chosen?.changes.set, ...merge.writes.set } },
    patch: {
      set: { ...chosen?.patch?.set, ...contributed(branches, graph.reducers) },
      ...(merge.writes.unset !== undefined && { unset: merge.writes.unset }),
    },
  };
  return [...conflicts, settled];
}

/** Puts what was chosen under the name of the choice too: what comes behind need not know the candidates. */
function ownOutput(
  node: ChooseNode,
  current: Activation,
  output: JsonValue | undefined,
  options: { readonly graph: Graph; readonly node: Composite; readonly state: GraphState },
): ReturnType<typeof settledEvent> | undefined {
  return output === undefined || node.outputKey === false
    ? undefined
    : settledEvent(current, { output }, options);
}

/**
 * Gives what came of an item. @throws HitlError NODE_FAILED where the worker wrote to the state, which goes nowhere.
 */
function resultOf(map: string, key: string, frame: GraphFrame): JsonValue {
  const last = livePath(frame).at(-1);
  if (last?.output !== undefined) return last.output.value;
  const inner = last?.frames.get('')?.graph;
  if (inner !== undefined) return resultOf(map, key, inner);
  const { set = {}, unset = [] } = last?.patch ?? {};
  const [written] = [...Object.keys(set), ...unset];
  if (written === undefined) return null;
  const message = `item ${key} of \`${map}\` has no result: its worker gives no output, and what it wrote (\`${written}\`) goes nowhere`;
  throw new HitlError('NODE_FAILED', message, { hint: 'let the worker give an output' });
}

/**
 * Joins what the branches wrote into one patch: where a built-in reducer joined it, all of it, else the last value that
 * one of them gave.
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
