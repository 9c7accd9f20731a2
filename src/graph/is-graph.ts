import type { Graph } from './graph-definition.js';

/** True for what a builder's `build` gave, also one of another copy of the package. */
export function isGraph(value: unknown): value is Graph {
  return (
    typeof value === 'object' &&
    value !== null &&
    'nodes' in value &&
    'edges' in value &&
    'start' in value &&
    'hash' in value &&
    typeof value.hash === 'string' &&
    'ends' in value &&
    value.ends instanceof Set
  );
}
