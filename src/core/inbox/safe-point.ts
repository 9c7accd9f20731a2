import type { NodePath } from '../ids.js';

/** A place where a run may be steered: before a node, after it, and between the turns of an agent. */
export interface SafePoint {
  readonly phase: 'before' | 'after' | 'turn';
  /** The node that is about to run, has run or runs; `''` in a chat. */
  readonly path: NodePath;
}
