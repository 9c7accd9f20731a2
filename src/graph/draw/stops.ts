import type { GraphFrame } from '../../core/index.js';
import type { Graph } from '../graph-definition.js';
import { isPoint } from '../run/index.js';

/** The places at a node where a run stops for a person. */
export interface Stops {
  readonly before: boolean;
  readonly after: boolean;
  /** The operations of its code before which a run stops; `*` is all that do something. */
  readonly operations: readonly string[];
}

/** Tells where a run stops at a node of a graph: by its definition, and once there is a run by what that has kept. */
export function stopsAt(graph: Graph, name: string, frame: GraphFrame | undefined): Stops {
  const { before, after } = frame ?? graph;
  const gates = frame === undefined ? Object.keys(graph.outline?.gates ?? {}) : (frame.gates ?? []);
  const node = graph.nodes[name];
  return {
    before: isPoint(before, name) || node?.gate?.before === true,
    after: isPoint(after, name) || node?.gate?.after === true,
    operations: node?.kind !== 'workflow' ? [] : gates === '*' ? ['*'] : gates,
  };
}
