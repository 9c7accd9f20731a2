import type { NodeDefinition } from './graph-definition.js';

/** Name of a `map`'s inner node. */
export const MAP_ITEM = 'item';

/** Returns a node's direct inner nodes, by name. */
export function innerNodes(node: NodeDefinition): readonly (readonly [string, NodeDefinition])[] {
  switch (node.kind) {
    case 'choose':
      return Object.entries(node.candidates);
    case 'group':
      return Object.entries(node.members);
    case 'map':
      return [[MAP_ITEM, node.worker]];
    case 'subgraph':
      return Object.entries(node.graph.nodes);
    case 'function':
    case 'agent':
    case 'tool':
    case 'human':
    case 'workflow':
      return [];
  }
}

/** Whether a node, or a node inside it, is a workflow written as a function. */
export function hasCode(nodes: Readonly<Record<string, NodeDefinition>>): boolean {
  return Object.values(nodes).some(
    (node) => node.kind === 'workflow' || hasCode(Object.fromEntries(innerNodes(node))),
  );
}

/** Returns the names of all nodes, including nested ones. */
export function namesOf(nodes: readonly (readonly [string, NodeDefinition])[]): readonly string[] {
  return [...new Set(nodes.flatMap(([name, node]) => [name, ...namesOf(innerNodes(node))]))];
}
