import type { Effect } from '../data/interrupt.js';
import type { OperationKind } from '../state/operation.js';

/** How far something in a run has come. `skipped`: nobody needed it. */
export type TreeProgress = 'done' | 'failed' | 'running' | 'waiting' | 'in-doubt' | 'skipped' | 'undone';

/** What a row of the tree is: a node of a graph, branches and one of them, a call of a tool, or an operation of code. */
export type TreeKind = OperationKind | 'node' | 'branches' | 'branch' | 'call-of-tool';

/** Something that people decided about a row. */
export interface TreeAnswer {
  /** `answered`, `approved`. */
  readonly verb: string;
  /** The name of whoever did. From outside. */
  readonly by: string;
}

/** Something that a row waits for. */
export interface TreeWait {
  readonly for: 'answer' | 'gate' | 'time' | 'event' | 'attempt';
  /** The question; absent for the next attempt. */
  readonly interrupt?: string;
  /** The name of the event. From outside. */
  readonly event?: string;
  /** ISO 8601. */
  readonly until?: string;
}

/** A row of the tree of operations, with what is inside of it. Plain JSON; its texts are from outside. */
export interface TreeNode {
  /** The key that commands take where `isPlace`: `hosts/a/install#1`, `review@2`; of a loop `install#1…#14`. */
  readonly key: string;
  /** True for what `rewind`, `rerun` and `skip` may be given. */
  readonly isPlace?: true;
  readonly name: string;
  readonly kind: TreeKind;
  readonly progress: TreeProgress;
  /** What it was about, in one line. */
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
  /** The rows that were folded into this one. */
  readonly times?: number;
  readonly inside?: readonly TreeNode[];
}
