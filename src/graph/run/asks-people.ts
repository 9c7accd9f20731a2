import type { GatePoints, GraphFrame } from '../../core/index.js';
import { activationsOf } from '../../core/index.js';
import type { Graph, NodeDefinition } from '../definition/graph-definition.js';
import { innerNodes } from '../definition/inner-nodes.js';

/** Whether a gate list includes a node. */
export function isPoint(points: GatePoints, node: string): boolean {
  return points === '*' || points.includes(node);
}

/** Whether a node always asks a person: it is a question, has a gate, or contains such a node. */
function asksPeople(node: NodeDefinition): boolean {
  if (node.kind === 'human' || node.gate?.before === true || node.gate?.after === true) return true;
  return innerNodes(node).some(([, inner]) => asksPeople(inner)) || hasPoints(node);
}

function hasPoints(node: NodeDefinition): boolean {
  return node.kind === 'subgraph' && node.graph.before.length + node.graph.after.length > 0;
}

/** Returns the state keys that hold people's answers, including the keys of inner nodes. */
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

/** Returns the nodes that ask a person on any path to a node, excluding the node itself. */
export function askedOnTheWayTo(target: string, graph: Graph, frame: GraphFrame): readonly string[] {
  const before = nodesBefore(target, graph);
  return Object.entries(graph.nodes)
    .filter(([name, node]) => name !== target && before.has(name) && isAsked(name, node, frame))
    .map(([name]) => name);
}

/**
 * Whether a node asks a person, because of its definition, the run's gates, or its body. A body is known to
 * ask only after it has asked.
 */
export function isAsked(name: string, node: NodeDefinition, frame: GraphFrame): boolean {
  const { before, after } = frame;
  return asksPeople(node) || isPoint(before, name) || isPoint(after, name) || askers(frame).has(name);
}

/** Returns the nodes whose bodies have asked, including undone nodes. */
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
