import type { GatePoints, GraphFrame } from '../../core/index.js';
import { activationsOf } from '../../core/index.js';
import type { Graph, NodeDefinition } from '../definition/graph-definition.js';
import { innerNodes } from '../definition/inner-nodes.js';

/** Whether the given gates stop a graph at one of its nodes. */
export function isPoint(points: GatePoints, node: string): boolean {
  return points === '*' || points.includes(node);
}

/** Whether a node always asks a person: a question, a gate, or one inside it. */
function asksPeople(node: NodeDefinition): boolean {
  if (node.kind === 'human' || node.gate?.before === true || node.gate?.after === true) return true;
  return innerNodes(node).some(([, inner]) => asksPeople(inner)) || hasPoints(node);
}

function hasPoints(node: NodeDefinition): boolean {
  return node.kind === 'subgraph' && node.graph.before.length + node.graph.after.length > 0;
}

/** Returns the state keys with people's answers, including nodes that share the state. */
export function answerKeys(
  nodes: readonly (readonly [string, NodeDefinition])[],
  asking: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const keys = nodes.flatMap(([name, node]) => {
    const own = node.kind === 'human' || asking.has(name) ? [node.outputKey ?? name] : [];
    return [...own, ...answerKeys(innerNodes(node))];
  });
  return new Set(keys.filter((key) => key !== false));
}

/** Returns the asking nodes on every path to a node, without the node itself. */
export function askedOnTheWayTo(target: string, graph: Graph, frame: GraphFrame): readonly string[] {
  const before = nodesBefore(target, graph);
  return Object.entries(graph.nodes)
    .filter(([name, node]) => name !== target && before.has(name) && isAsked(name, node, frame))
    .map(([name]) => name);
}

/**
 * Whether a person is asked at a node: by the node, by the run's gates, or by its body, which is known once
 * it has asked.
 */
export function isAsked(name: string, node: NodeDefinition, frame: GraphFrame): boolean {
  const { before, after } = frame;
  return asksPeople(node) || isPoint(before, name) || isPoint(after, name) || askers(frame).has(name);
}

/** Returns nodes whose bodies have asked, including undone ones. */
export function askers(frame: GraphFrame): ReadonlySet<string> {
  const asking = activationsOf(frame).filter(({ asks, since }) => asks.length > 0 || since !== undefined);
  return new Set(asking.map(({ node }) => node));
}

function nodesBefore(target: string, { edges }: Graph): ReadonlySet<string> {
  const seen = new Set<string>([target]);
  const left = [target];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    for (const [from, out] of Object.entries(edges)) {
      if (seen.has(from) || !out.some(({ to }) => to === node)) continue;
      seen.add(from);
      left.push(from);
    }
  }
  return seen;
}
