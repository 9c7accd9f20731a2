import type { Effect } from '../data/interrupt.js';
import type { OperationKind } from '../state/operation.js';

/** Progress of a part of a run. `skipped`: the part was not needed. */
export type TreeProgress = 'done' | 'failed' | 'running' | 'waiting' | 'in-doubt' | 'skipped' | 'undone';

/**
 * Kind of a tree row: a graph node, a group of branches, a branch, a tool call or an operation in workflow
 * code.
 */
export type TreeKind = OperationKind | 'node' | 'branches' | 'branch' | 'call-of-tool';

/** A person's decision about a row. */
export interface TreeAnswer {
  /** `answered`, `approved`. */
  readonly verb: string;
  /** Name of the person who decided. The text is untrusted. */
  readonly by: string;
}

/** What a row is waiting for. */
export interface TreeWait {
  readonly for: 'answer' | 'gate' | 'time' | 'event' | 'attempt';
  /** The question; absent if the row is waiting for its next attempt. */
  readonly interrupt?: string;
  /** Name of the event. The text is untrusted. */
  readonly event?: string;
  /** ISO 8601. */
  readonly until?: string;
}

/** A row of the operation tree, with its children. It is plain JSON, and its text is untrusted. */
export interface TreeNode {
  /**
   * The key of the row, which commands accept if `isPlace` is set: `hosts/a/install#1`, `review@2`, or
   * `install#1…#14` for a loop.
   */
  readonly key: string;
  /** Whether the `rewind`, `rerun` and `skip` commands accept the key. */
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
  /** The branch whose result decided the group of branches. */
  readonly decided?: string;
  /** Number of rows folded into this one. */
  readonly times?: number;
  readonly inside?: readonly TreeNode[];
}
