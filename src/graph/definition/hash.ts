import { sha256 } from '../../core/index.js';
import type { Declared } from '../graph-definition.js';

/** Fingerprint of names, kinds, edges and condition text (C-53). */
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
