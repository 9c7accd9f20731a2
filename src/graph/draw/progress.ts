import type { Activation, GraphFrame } from '../../core/index.js';
import { activationId, activationProgress, activationsOf } from '../../core/index.js';

/** The progress of a node in a run. */
export type Progress = 'waiting' | 'failed' | 'current' | 'done' | 'skipped' | 'undone';

const MARKS: Readonly<Record<Progress, readonly [string, string]>> = {
  done: ['✓', '+'],
  current: ['▸', '>'],
  waiting: ['?', '?'],
  failed: ['✗', 'x'],
  skipped: ['»', '-'],
  undone: ['↶', '~'],
};

/** The mark of a progress on every screen, one column wide. */
export function markOf(progress: Progress, { ascii = false }: { readonly ascii?: boolean } = {}): string {
  return MARKS[progress][ascii ? 1 : 0];
}

/** The past of a node. */
export interface Happened {
  readonly progress: Progress;
  /** How often it was entered. */
  readonly visits: number;
  readonly executions: readonly Execution[];
}

interface Execution {
  /** `review@2`. */
  readonly id: string;
  readonly progress: Progress;
  readonly startedAt?: string;
}

/** Of a node's parallel runs, as in a map, the first of these is shown. */
const URGENCY: readonly Progress[] = ['waiting', 'failed', 'current', 'done', 'skipped', 'undone'];

/** Returns a node's progress in its graph's runs; `undefined` if it was never entered. */
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

/** Returns the runs inside a node's latest activation: all, or those of one branch. */
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

/** Counts how often a node's edge was taken, without undone activations; `edge` is its index. */
export function timesTaken(node: string, edge: number, frames: readonly GraphFrame[]): number {
  return frames.flatMap((frame) =>
    activationsOf(frame).filter(
      (one, index, all) =>
        one.edge === edge && one.status !== 'undone' && index > 0 && all[index - 1]?.node === node,
    ),
  ).length;
}

/** The progress in a drawing. */
function progressOf(activation: Activation): Progress {
  const progress = activationProgress(activation);
  if (progress === 'in-doubt') return 'waiting';
  return progress === 'running' ? 'current' : progress;
}
