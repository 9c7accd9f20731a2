import type { GraphFrame } from '../../core/index.js';

/** The settings with which a graph is drawn. */
export interface DrawOptions {
  readonly format: 'text' | 'mermaid' | 'json';
  /** The run so far: done, current, waiting, failed, skipped, undone, visits, edges that were taken. */
  readonly state?: GraphFrame;
  /** Signs in ASCII; names stay as they are. Default false. */
  readonly ascii?: boolean;
}
