import type { GraphFrame } from '../../core/index.js';
import type { Graph } from '../graph-definition.js';
import type { Progress } from './progress.js';
import { happenedTo } from './progress.js';

/** A node of a graph, and how far a run of it has come there. */
export interface NodeProgress {
  readonly node: string;
  /** Absent where it was never entered. */
  readonly progress?: Progress;
  /** The number of times that it was entered. */
  readonly visits: number;
}

/** Lists the nodes of a graph in the order of their declaration, each with what happened to it in a run. */
export function nodeProgress({ nodes }: Graph, frame: GraphFrame | undefined): readonly NodeProgress[] {
  return Object.keys(nodes).map((node): NodeProgress => {
    const happened = frame && happenedTo(node, [frame]);
    return happened === undefined
      ? { node, visits: 0 }
      : { node, progress: happened.progress, visits: happened.visits };
  });
}
