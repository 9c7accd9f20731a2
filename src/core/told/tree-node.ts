import type { Effect } from '../data/interrupt.js';
import type { OperationKind } from '../state/operation.js';

/** Progress of part of a run. `skipped`: not needed. */
export type TreeProgress = 'done' | 'failed' | 'running' | 'waiting' | 'in-doubt' | 'skipped' | 'undone';

/**
 * Kind of a tree row: a graph node, a group of branches or one branch, a tool call, or an operation of code.
 */
export type TreeKind = OperationKind | 'node' | 'branches' | 'branch' | 'call-of-tool';

/** A decision of people about a row. */
export interface TreeAnswer {
  /** `answered`, `approved`. */
  readonly verb: string;
  /** Name of the actor. Foreign text. */
  readonly by: string;
}

/** Something that a row waits for. */
export interface TreeWait {
  readonly for: 'answer' | 'gate' | 'time' | 'event' | 'attempt';
  /** The question; absent for the next attempt. */
  readonly interrupt?: string;
  /** The name of the event. Foreign text. */
  readonly event?: string;
  /** ISO 8601. */
  readonly until?: string;
}

/** A row of the operation tree with its children. Plain JSON with foreign text. */
export interface TreeNode {
  /**
   * The key, which commands accept if `isPlace` is set: `hosts/a/install#1`, `review@2`; for a loop `install#1…#14`.
   */
  readonly key: string;
  /** Whether `rewind`, `rerun` and `skip` accept it. */
  readonly isPlace?: true;
  readonly name: string;
  readonly kind: TreeKind;
  readonly progress: TreeProgress;
  /** One-line description. */
  readonly title?: string;
  readonly effect?: Effect;
  /** ISO 8601. */
  readonly began?: string;
  readonly ended?: string;
  /** Absent for one. */
  readonly attempts?: number;
  readonly answers?: readonly TreeAnswer[];
  readonly waits?: TreeWait;
  /** Why it failed. */
  readonly error?: string;
  /** The branch that decided. */
  readonly decided?: string;
  /** The number of rows that were folded into this one. */
  readonly times?: number;
  readonly inside?: readonly TreeNode[];
}
