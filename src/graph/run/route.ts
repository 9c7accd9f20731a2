import type { Activation, GraphFrame } from '../../core/index.js';
import { activationId, livePath, messageOf } from '../../core/index.js';
import type { RouteMeta } from '../expression/expression-types.js';
import { evaluateCondition } from '../expression/expression-eval.js';
import type { Edge, Graph } from '../definition/graph-definition.js';

/** A condition that could not be evaluated, so its edge does not match (C-6). */
interface EdgeTrouble {
  readonly to: string;
  readonly message: string;
}

/** How a run proceeds from a node. */
export type Route =
  | {
      readonly type: 'edge';
      readonly to: string;
      /** The index of the edge among the node's edges. */
      readonly edge: number;
      readonly drew: boolean;
      readonly troubles: readonly EdgeTrouble[];
    }
  /** No edge matches. Includes the evaluated conditions, which the error reports. */
  | { readonly type: 'none'; readonly looked: readonly string[]; readonly troubles: readonly EdgeTrouble[] };

interface Candidate {
  readonly edge: Edge;
  readonly index: number;
}

/**
 * Chooses an edge out of the current activation: by priority, then weight, then declaration order. Each
 * condition is evaluated at most once (C-15).
 */
export function route(graph: Graph, frame: GraphFrame, current: Activation): Route {
  const edges = (graph.edges[current.node] ?? []).map((edge, index): Candidate => ({ edge, index }));
  const levels = [...new Set(edges.map(({ edge }) => edge.priority))].sort((left, right) => right - left);
  const troubles: EdgeTrouble[] = [];
  const looked: string[] = [];
  for (const level of levels) {
    const matching: Candidate[] = [];
    for (const candidate of edges.filter(({ edge }) => edge.priority === level)) {
      const { edge } = candidate;
      const result = level === 0 ? true : matches(edge, frame, current);
      if (typeof result === 'string') troubles.push({ to: edge.to, message: result });
      looked.push(`${edge.to}: ${typeof result === 'string' ? result : String(result)}`);
      if (result === true) matching.push(candidate);
    }
    const chosen = pick(matching, frame);
    if (chosen !== undefined) return { type: 'edge', ...chosen, troubles };
  }
  return { type: 'none', looked, troubles };
}

function pick(
  matching: readonly Candidate[],
  { seed, draws }: GraphFrame,
): { readonly to: string; readonly edge: number; readonly drew: boolean } | undefined {
  const [first] = matching;
  if (first === undefined) return undefined;
  const total = matching.reduce((sum, { edge }) => sum + edge.weight, 0);
  const isEven = matching.every(({ edge }) => edge.weight === first.edge.weight);
  if (isEven || total <= 0) return { to: first.edge.to, edge: first.index, drew: false };
  let left = drawAt(seed, draws) * total;
  for (const { edge, index } of matching) {
    left -= edge.weight;
    if (left < 0) return { to: edge.to, edge: index, drew: true };
  }
  return { to: first.edge.to, edge: first.index, drew: true };
}

/**
 * Returns the progress information that the conditions of edges and gates can read in addition to the state.
 */
export function metaOf(frame: GraphFrame, { node, visit, status }: Activation): RouteMeta {
  return {
    iteration: frame.iterations,
    node,
    visit,
    get path() {
      return livePath(frame).map(activationId);
    },
    lastStatus: status,
    get lastError() {
      return livePath(frame).findLast(({ error }) => error !== undefined)?.error?.message ?? null;
    },
  };
}

function matches({ when, condition }: Edge, frame: GraphFrame, current: Activation): boolean | string {
  const meta = metaOf(frame, current);
  if (typeof when === 'function') {
    try {
      return when(frame.state, meta);
    } catch (thrown) {
      return messageOf(thrown);
    }
  }
  if (condition === undefined) return true;
  const result = evaluateCondition(condition, {
    state: frame.values,
    conditions: frame.conditions,
    meta,
  });
  return result.ok ? result.value : result.error;
}

/** Returns a number between 0 and 1 that depends only on seed and position (C-16). */
function drawAt(seed: number, position: number): number {
  // mulberry32, one step from a state of its own for each position
  let t = (seed + Math.imul(position + 1, 0x6d2b79f5)) >>> 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
