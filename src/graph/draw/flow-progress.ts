import type { GraphFrame } from '../../core/index.js';
import type { Graph } from '../definition/graph-definition.js';
import type { Progress } from './progress.js';
import { happenedTo } from './progress.js';
import type { Stops } from './picture.js';
import { stopsAt } from './picture.js';

/** A graph node with its stops and progress. */
export interface NodeProgress extends Stops {
  readonly node: string;
  /** Absent if never entered. */
  readonly progress?: Progress;
  /** The number of times that it was entered. */
  readonly visits: number;
}

/** A workflow while it runs, in short. */
export interface FlowProgress {
  /** Absent if the definition has none. */
  readonly version?: number;
  /** In declaration order. */
  readonly nodes: readonly NodeProgress[];
}

/** Describes each node's progress in a run, and the run's stored definition. */
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
