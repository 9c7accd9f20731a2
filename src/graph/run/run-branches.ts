import type { NodePath, PersistentMap, RunState } from '../../core/index.js';
import { emptyState } from '../../core/index.js';
import type { EngineEvent, RunOutcome } from '../../engine/index.js';
import { Arrivals, Stop } from '../../engine/index.js';
import type { BranchErrors, Join } from '../definition/graph-definition.js';
import type { GraphLoop } from './graph-loop.js';
import type { Arrival } from './inner-chats.js';
import { drained, follow, giveUp, pass } from './inner-chats.js';

// Invariants:
// B1 An event of a branch is durable before that branch goes on; what several branches tell at once is one batch.
// B2 Leaving early stops every branch and waits for it (P-9).
// B3 A branch that ended is not run again; one that waits is entered again only when nothing of it is open.

/** A branch, with its location and a function that runs it from a state. */
export interface BranchRun {
  readonly key: string;
  readonly scope: NodePath;
  readonly run: (state: RunState, signal: AbortSignal) => AsyncGenerator<EngineEvent, RunOutcome>;
  /** Returns the outcome if nothing needs to run: the branch has ended or is waiting for a person. */
  readonly rest: (state: RunState) => RunOutcome | undefined;
}

export interface BranchHost extends Pick<GraphLoop, 'tell'> {
  readonly frames: () => PersistentMap<RunState>;
}

export interface BranchRules {
  readonly join: Join;
  readonly policy: BranchErrors;
  readonly maxParallel: number;
}

/** How each branch stopped. */
export type BranchEnds = ReadonlyMap<string, RunOutcome>;

/**
 * Runs branches in parallel, up to a limit, until all have stopped or the remaining ones are no longer
 * needed.
 */
export async function* runBranches(
  runs: readonly BranchRun[],
  host: BranchHost,
  rules: BranchRules,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, BranchEnds> {
  const ends = new Map<string, RunOutcome>();
  const waitingToRun: BranchRun[] = [];
  for (const run of runs) {
    const frame = host.frames().get(run.key);
    const rest = frame && run.rest(frame);
    if (rest === undefined) waitingToRun.push(run);
    else ends.set(run.key, rest);
  }
  const arrivals = new Arrivals<Arrival>();
  const stop = Stop.following(signal);
  const pumps: Promise<void>[] = [];
  let next = 0;
  let running = 0;
  let arrived: readonly Arrival[] = [];
  const fill = (): void => {
    while (running < rules.maxParallel && !stop.aborted) {
      const run = waitingToRun[next];
      if (run === undefined) return;
      next += 1;
      running += 1;
      const own = stop.child();
      const state = host.frames().get(run.key) ?? emptyState();
      const place = { arrivals, scope: run.scope };
      pumps.push(
        follow(run.key, run.run(state, own.signal), place, state).finally(() => {
          own.release();
        }),
      );
    }
  };
  try {
    fill();
    while (running > 0) {
      arrived = await arrivals.take();
      yield* pass(host, arrived); // B1
      running -= arrived.filter((arrival) => noteArrival(arrival, ends)).length;
      if (isDecided(ends, runs.length, rules)) stop.abort();
      fill();
    }
    return ends;
  } finally {
    stop.release();
    stop.abort();
    giveUp(arrived); // what was not kept must not go on
    if (running > 0) await drained(arrivals, Promise.all(pumps));
  }
}

/** Lets a branch continue, or records its end. Returns whether the branch has ended. */
function noteArrival(arrival: Arrival, ends: Map<string, RunOutcome>): boolean {
  switch (arrival.type) {
    case 'told':
      arrival.settle('go-on');
      return false;
    case 'parked':
      return false;
    case 'ended':
      if (arrival.outcome !== undefined) ends.set(arrival.key, arrival.outcome);
      return true;
    case 'threw':
      throw arrival.thrown;
  }
}

/**
 * Whether the running branches can no longer change the result, because enough succeeded or too many failed.
 */
function isDecided(ends: BranchEnds, size: number, { join, policy }: BranchRules): boolean {
  const outcomes = [...ends.values()];
  const succeeded = outcomes.filter(isSuccess).length;
  const failed = outcomes.filter(isFailure).length;
  const needed = neededOf(join, size);
  if (join !== 'all' && succeeded >= needed) return true;
  if (failed === 0 || policy === 'collect') return false;
  return policy === 'fail-fast' ? true : size - failed < (join === 'all' ? 1 : needed);
}

/** Returns the number of branches that must succeed. */
export function neededOf(join: Join, size: number): number {
  return join === 'all' ? size : join === 'any' ? 1 : join;
}

/** Whether a branch finished successfully. */
export function isSuccess(outcome: RunOutcome | undefined): boolean {
  return outcome?.type === 'ended' && (outcome.reason.type === 'done' || outcome.reason.type === 'finished');
}

/** Whether a branch failed. */
export function isFailure(outcome: RunOutcome | undefined): boolean {
  return outcome?.type === 'ended' && (outcome.reason.type === 'failed' || outcome.reason.type === 'limit');
}
