import type { GatePoints, GraphFrame } from '../../core/index.js';
import { activationsOf } from '../../core/index.js';
import type { Graph, NodeDefinition } from '../definition/graph-definition.js';
import { innerNodes } from '../definition/inner-nodes.js';

/** True where a graph stops at one of its nodes by the points that it was given. */
export function isPoint(points: GatePoints, node: string): boolean {
  return points === '*' || points.includes(node);
}

/** True for a node at which a person is asked whatever happens: a question, a gate, or one inside of it. */
function asksPeople(node: NodeDefinition): boolean {
  if (node.kind === 'human' || node.gate?.before === true || node.gate?.after === true) return true;
  return innerNodes(node).some(([, inner]) => asksPeople(inner)) || hasPoints(node);
}

function hasPoints(node: NodeDefinition): boolean {
  return node.kind === 'subgraph' && node.graph.before.length + node.graph.after.length > 0;
}

/** The keys of the state that hold what people answered, also inside of nodes that share the state. */
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

/** The nodes at which people are asked on the way to a node, wherever that way begins; not the node itself. */
export function askedOnTheWayTo(target: string, graph: Graph, frame: GraphFrame): readonly string[] {
  const before = nodesBefore(target, graph);
  return Object.entries(graph.nodes)
    .filter(([name, node]) => name !== target && before.has(name) && isAsked(name, node, frame))
    .map(([name]) => name);
}

/**
 * True where a person is asked at a node of a run: by the node, by the points that the run was given, or by its body,
 * which is known once it has asked.
 */
export function isAsked(name: string, node: NodeDefinition, frame: GraphFrame): boolean {
  const { before, after } = frame;
  return asksPeople(node) || isPoint(before, name) || isPoint(after, name) || askers(frame).has(name);
}

/** The nodes whose bodies have asked, also where that was taken back. */
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
