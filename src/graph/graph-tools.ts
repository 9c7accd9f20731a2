import type { NodePath, RunState, Tool, ToolSet } from '../core/index.js';
import { nodePath, toolSetOf } from '../core/index.js';
import type { AgentNode, CalledAgent, Graph, NodeDefinition } from './definition/graph-definition.js';
import { innerNodes } from './definition/inner-nodes.js';
import { begunAt } from './workflow/replay-check.js';

/**
 * Returns all tools of a graph's nodes, including those in nested graphs. If several have the same name,
 * returns the first.
 */
export function toolsOfGraph(graph: Graph): readonly Tool[] {
  const found = new Map<string, Tool>();
  mapTools(graph, (tool) => {
    if (!found.has(tool.name)) found.set(tool.name, tool);
    return tool;
  });
  return [...found.values()];
}

/** Replaces every tool in the nodes of a graph. */
export function mapTools(graph: Graph, map: (tool: Tool) => Tool): Graph {
  return { ...graph, nodes: mapNodes(graph.nodes, map) };
}

function mapNodes<Key extends string>(
  nodes: Readonly<Record<Key, NodeDefinition>>,
  map: (tool: Tool) => Tool,
): Readonly<Record<string, NodeDefinition>> {
  return Object.fromEntries(
    Object.entries<NodeDefinition>(nodes).map(([name, node]) => [name, mapNode(node, map)]),
  );
}

function mapNode(node: NodeDefinition, map: (tool: Tool) => Tool): NodeDefinition {
  switch (node.kind) {
    case 'agent':
      return mapAgent(node, map);
    case 'tool':
      return { ...node, tool: map(node.tool) };
    case 'choose':
      return { ...node, candidates: mapNodes(node.candidates, map) };
    case 'group':
      return { ...node, members: mapNodes(node.members, map) };
    case 'map':
      return { ...node, worker: mapNode(node.worker, map) };
    case 'subgraph':
      return { ...node, graph: mapTools(node.graph, map) };
    case 'function':
    case 'human':
    case 'workflow':
      return node;
  }
}

function mapAgent(node: AgentNode, map: (tool: Tool) => Tool): AgentNode {
  const { tools, agents } = node;
  const called = Object.entries(agents ?? {}).map(([name, agent]): [string, CalledAgent] => [
    name,
    agent.tools === undefined ? agent : { ...agent, tools: mapSet(agent.tools, map) },
  ]);
  return {
    ...node,
    ...(tools !== undefined && { tools: mapSet(tools, map) }),
    ...(agents !== undefined && { agents: Object.fromEntries(called) }),
  };
}

function mapSet(tools: ToolSet, map: (tool: Tool) => Tool): ToolSet {
  return toolSetOf([...tools].map(map), tools.descriptors);
}

/**
 * Returns the tools available to the run at a path, or `shared` if the run does not have its own tools. An
 * operation's tools are defined in workflow code, so they are found by replaying the code without starting
 * anything.
 */
export async function toolsAt(
  graph: Graph,
  { graph: frame }: Pick<RunState, 'graph'>,
  path: NodePath,
  shared: ToolSet,
): Promise<ToolSet> {
  const begun = frame && (await begunAt(graph, frame, path));
  if (begun === undefined) return toolsOf(nodeAt(graph, path), path, shared);
  const { what } = begun;
  if (what.kind !== 'graph') return toolsOf(what, path, shared);
  const inside = nodePath(path.slice(begun.path.length + 1));
  return toolsAt(what.graph, begun.frame === undefined ? {} : { graph: begun.frame }, inside, shared);
}

function toolsOf(node: NodeDefinition | undefined, path: NodePath, shared: ToolSet): ToolSet {
  if (node?.kind === 'tool') return toolSetOf([node.tool]);
  if (node?.kind !== 'agent') return shared;
  const last = path.slice(path.lastIndexOf('/') + 1);
  const called = last.includes('@') ? undefined : node.agents?.[last.slice(0, last.lastIndexOf('#'))];
  return (called ?? node).tools ?? shared;
}

/** Returns the definition of the innermost node in a path. */
function nodeAt(graph: Graph, path: NodePath): NodeDefinition | undefined {
  let inside: readonly (readonly [string, NodeDefinition])[] = Object.entries(graph.nodes);
  let node: NodeDefinition | undefined;
  for (const part of path.split('/')) {
    if (!part.includes('@')) continue; // the key of a branch; what runs in it follows
    const wanted = part.slice(0, part.lastIndexOf('@'));
    node = inside.find(([name]) => name === wanted)?.[1];
    inside = node === undefined ? [] : innerNodes(node);
  }
  return node;
}
