import type { GraphFrame } from '../../core/index.js';
import type { Graph } from '../definition/graph-definition.js';
import type { Progress } from './progress.js';
import { happenedTo } from './progress.js';
import type { Stops } from './picture.js';
import { stopsAt } from './picture.js';

/** A node of a graph, where a run stops at it, and how far the run has come there. */
export interface NodeProgress extends Stops {
  readonly node: string;
  /** Absent where it was never entered. */
  readonly progress?: Progress;
  /** The number of times that it was entered. */
  readonly visits: number;
}

/** A workflow while it runs, in short. */
export interface FlowProgress {
  /** Absent where its definition says nothing of one. */
  readonly version?: number;
  /** In the order of their declaration. */
  readonly nodes: readonly NodeProgress[];
}

/** Tells of a graph what happened to each node in a run, and what the run has kept of its definition. */
export function flowProgress(graph: Graph, frame: GraphFrame | undefined): FlowProgress {
  const version = (frame ?? graph).outline?.version;
  const nodes = Object.keys(graph.nodes).map((node): NodeProgress => {
    const happened = frame && happenedTo(node, [frame]);
    const stops = stopsAt(graph, node, frame);
    return happened === undefined
      ? { node, visits: 0, ...stops }
      : { node, progress: happened.progress, visits: happened.visits, ...stops };
  });
  return { nodes, ...(version !== undefined && { version }) };
}
