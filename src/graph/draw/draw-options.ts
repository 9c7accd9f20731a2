import type { GraphFrame, OperationTree } from '../../core/index.js';

/** The settings with which a graph is drawn. */
export interface DrawOptions {
  readonly format: 'text' | 'mermaid' | 'json';
  /** The run so far: done, current, waiting, failed, skipped, undone, visits, edges that were taken. */
  readonly state?: GraphFrame;
  /** What the code of its workflows did, as `operationTree` gives it, with times and answers. Default: of `state`, without. */
  readonly tree?: OperationTree;
  /** The columns of a row of the tree in text. Default: as many as it needs. */
  readonly columns?: number;
  /** Signs in ASCII; names stay as they are. Default false. */
  readonly ascii?: boolean;
}
