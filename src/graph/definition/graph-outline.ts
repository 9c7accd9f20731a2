import type { GateSide, GraphOutline, OutlineEdge, OutlineNode } from '../../core/index.js';
import { sha256 } from '../../core/index.js';
import type { Edge, Declared, NodeDefinition } from './graph-definition.js';

/** Creates the outline of a definition, to be stored with a session. */
export function outlineOf(
  { nodes, edges, ends }: Pick<Declared, 'nodes' | 'edges' | 'ends'>,
  { version, gates = {} }: Pick<GraphOutline, 'version' | 'gates'>,
): GraphOutline {
  return {
    ...(version !== undefined && { version }),
    nodes: nodes.map(([name, node]) => outlineNode(name, node)),
    edges: edges.map(([from, edge]) => outlineEdge(from, edge)),
    ends,
    ...(Object.keys(gates).length > 0 && { gates }),
  };
}

function outlineNode(name: string, { kind, gate }: NodeDefinition): OutlineNode {
  const side = gateSide(gate?.before === true, gate?.after === true);
  if (side === undefined) return { name, kind };
  return { name, kind, gate: side, ...(gate?.when !== undefined && { when: gate.when }) };
}

function outlineEdge(from: string, { to, when, priority, weight }: Edge): OutlineEdge {
  return {
    from,
    to,
    ...(when !== undefined && { when: typeof when === 'string' ? when : 'a function' }),
    ...(priority !== 1 && { priority }),
    ...(weight !== 1 && { weight }),
  };
}

function gateSide(before: boolean, after: boolean): GateSide | undefined {
  if (before && after) return 'both';
  return before ? 'before' : after ? 'after' : undefined;
}

/** Returns a fingerprint of the names, kinds, edges and condition text (C-53). */
export function hashOf({ name, nodes, edges, start = '', ends }: Declared): string {
  const lines = [
    name,
    start,
    ...ends,
    ...nodes.map(([node, { kind }]) => `${node} ${kind}`),
    ...edges.map(([from, { to, priority, weight, when }]) =>
      [from, to, priority, weight, typeof when === 'function' ? 'fn' : (when ?? '')].join(' '),
    ),
  ];
  return sha256(lines.join('\n')).slice(0, 16);
}
