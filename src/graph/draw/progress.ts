import type { Activation, GraphFrame } from '../../core/index.js';
import { activationId, activationProgress, activationsOf } from '../../core/index.js';

/** A node's progress in a run. */
export type Progress = 'waiting' | 'failed' | 'current' | 'done' | 'skipped' | 'undone';

const MARKS: Readonly<Record<Progress, readonly [string, string]>> = {
  done: ['✓', '+'],
  current: ['▸', '>'],
  waiting: ['?', '?'],
  failed: ['✗', 'x'],
  skipped: ['»', '-'],
  undone: ['↶', '~'],
};

/** Returns the mark for a progress value. It is one column wide and the same on every screen. */
export function markOf(progress: Progress, { ascii = false }: { readonly ascii?: boolean } = {}): string {
  return MARKS[progress][ascii ? 1 : 0];
}

/** What a run did at a node. */
export interface Happened {
  readonly progress: Progress;
  /** How often the node was entered. */
  readonly visits: number;
  readonly executions: readonly Execution[];
}

interface Execution {
  /** `review@2`. */
  readonly id: string;
  readonly progress: Progress;
  readonly startedAt?: string;
}

/**
 * Progress values, most important first. If a node runs in parallel, as in a map, the most important value
 * that occurs is shown.
 */
const URGENCY: readonly Progress[] = ['waiting', 'failed', 'current', 'done', 'skipped', 'undone'];

/** Returns a node's progress in the given runs of its graph; `undefined` if it was never entered. */
export function happenedTo(node: string, frames: readonly GraphFrame[]): Happened | undefined {
  const entered = frames.map((frame) => activationsOf(frame).filter((one) => one.node === node));
  const last = entered.flatMap((ones) => ones.slice(-1).map(progressOf));
  const [progress] = last.toSorted((left, right) => URGENCY.indexOf(left) - URGENCY.indexOf(right));
  if (progress === undefined) return undefined;
  const executions = entered.flat().map((one): Execution => ({
    id: activationId(one),
    progress: progressOf(one),
    ...(one.startedAt !== undefined && { startedAt: one.startedAt }),
  }));
  return { progress, visits: executions.length, executions };
}

/** Returns the graph runs inside a node's latest activation, or only the one in a given branch. */
export function framesInside(
  node: string,
  frames: readonly GraphFrame[],
  branch?: string,
): readonly GraphFrame[] {
  return frames.flatMap((frame) => {
    const inside = activationsOf(frame).findLast((one) => one.node === node)?.frames;
    const runs = branch === undefined ? (inside?.values() ?? []) : [inside?.get(branch)];
    return runs.flatMap((run) => (run?.graph === undefined ? [] : [run.graph]));
  });
}

/**
 * Counts how often an edge was taken, excluding undone activations. `edge` is its index among the node's
 * edges.
 */
export function timesTaken(node: string, edge: number, frames: readonly GraphFrame[]): number {
  return frames.flatMap((frame) =>
    activationsOf(frame).filter(
      (one, index, all) =>
        one.edge === edge && one.status !== 'undone' && index > 0 && all[index - 1]?.node === node,
    ),
  ).length;
}

/** Returns an activation's progress for a drawing. */
function progressOf(activation: Activation): Progress {
  const progress = activationProgress(activation);
  if (progress === 'in-doubt') return 'waiting';
  return progress === 'running' ? 'current' : progress;
}
