import type { NodePath, PersistentMap, RunState, SessionEvent } from '../../core/index.js';
import { emptyState } from '../../core/index.js';
import type { EngineEvent, RunOutcome } from '../../engine/index.js';
import { Arrivals, Stop } from '../../engine/index.js';
import type { BranchErrors, Join } from '../graph-definition.js';
import { placedAt } from './graph-loop.js';

// Invariants:
// B1 An event of a branch is durable before that branch goes on; what several branches tell at once is one batch.
// B2 Leaving early stops every branch and waits for it (P-9).
// B3 A branch that ended is not run again; one that waits is entered again only when nothing of it is open.

/** One branch: where it is, and how to run it from its state. */
export interface BranchRun {
  readonly key: string;
  readonly scope: NodePath;
  readonly run: (state: RunState, signal: AbortSignal) => AsyncGenerator<EngineEvent, RunOutcome>;
  /** Gives the outcome of running it from a state where there is nothing to do: it ended, or waits for a person. */
  readonly rest: (state: RunState) => RunOutcome | undefined;
}

export interface BranchHost {
  readonly frames: () => PersistentMap<RunState>;
  readonly tell: (events: readonly SessionEvent[]) => Generator<EngineEvent, void>;
}

export interface BranchRules {
  readonly join: Join;
  readonly policy: BranchErrors;
  readonly maxParallel: number;
}

/** The ways in which the branches came to rest. */
export type BranchEnds = ReadonlyMap<string, RunOutcome>;

type Arrival =
  | {
      readonly type: 'told';
      readonly run: BranchRun;
      readonly event: EngineEvent;
      readonly settle: (fate: 'go-on' | 'give-up') => void;
    }
  | { readonly type: 'ended'; readonly run: BranchRun; readonly outcome: RunOutcome }
  | { readonly type: 'threw'; readonly thrown: unknown };

/** Runs branches at once, so many at a time, until all are at rest or the rest is not needed. */
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
      pumps.push(
        pump(run, state, arrivals, own.signal).finally(() => {
          own.release();
        }),
      );
    }
  };
  try {
    fill();
    while (running > 0) {
      arrived = await arrivals.take();
      yield* pass(arrived, host);
      running -= arrived.filter((arrival) => noteArrival(arrival, ends)).length;
      if (isDecided(ends, runs.length, rules)) stop.abort();
      fill();
    }
    return ends;
  } finally {
    stop.release();
    stop.abort();
    for (const arrival of arrived) giveUp(arrival); // what was not kept must not go on
    if (running > 0) await drain(arrivals, pumps);
  }
}

/** Lets a branch go on, or notes how it ended: true then. */
function noteArrival(arrival: Arrival, ends: Map<string, RunOutcome>): boolean {
  switch (arrival.type) {
    case 'told':
      arrival.settle('go-on');
      return false;
    case 'ended':
      ends.set(arrival.run.key, arrival.outcome);
      return true;
    case 'threw':
      throw arrival.thrown;
  }
}

/** Nobody keeps what it told: it ends where it is. Without effect on what has gone on already. */
function giveUp(arrival: Arrival): void {
  if (arrival.type === 'told') arrival.settle('give-up');
}

/** Branches that are told to stop still hand over what they have; nobody keeps it any more. */
async function drain(arrivals: Arrivals<Arrival>, pumps: readonly Promise<void>[]): Promise<void> {
  const all = Promise.allSettled(pumps).then(() => 'all' as const);
  for (;;) {
    const arrived = await Promise.race([all, arrivals.take()]);
    if (arrived === 'all') return;
    for (const arrival of arrived) giveUp(arrival);
  }
}

/** Passes on what arrived together as one batch, and so one sync (B1). */
function* pass(arrived: readonly Arrival[], host: BranchHost): Generator<EngineEvent, void> {
  const events: SessionEvent[] = [];
  for (const arrival of arrived) {
    if (arrival.type !== 'told') continue;
    if (!arrival.event.durable)
      yield { durable: false, event: placedAt(arrival.event.event, arrival.run.scope) };
    else for (const event of arrival.event.events) events.push(placedAt(event, arrival.run.scope));
  }
  if (events.length > 0) yield* host.tell(events);
}

async function pump(
  run: BranchRun,
  state: RunState,
  arrivals: Arrivals<Arrival>,
  signal: AbortSignal,
): Promise<void> {
  const events = run.run(state, signal);
  try {
    for (;;) {
      const step = await events.next();
      if (step.done === true) {
        arrivals.put({ type: 'ended', run, outcome: step.value });
        return;
      }
      const event = step.value;
      const fate = await new Promise<'go-on' | 'give-up'>((settle) => {
        arrivals.put({ type: 'told', run, event, settle });
      });
      if (fate === 'give-up') {
        await events.return({ type: 'ended', reason: { type: 'aborted' }, state });
        return;
      }
    }
  } catch (thrown) {
    arrivals.put({ type: 'threw', thrown });
  }
}

/** True where the branches that still run can change nothing: enough succeeded, or too many failed. */
function isDecided(ends: BranchEnds, size: number, { join, policy }: BranchRules): boolean {
  const outcomes = [...ends.values()];
  const succeeded = outcomes.filter(isSuccess).length;
  const failed = outcomes.filter(isFailure).length;
  const needed = neededOf(join, size);
  if (join !== 'all' && succeeded >= needed) return true;
  if (failed === 0 || policy === 'collect') return false;
  return policy === 'fail-fast' ? true : size - failed < (join === 'all' ? 1 : needed);
}

/** Counts how many of so many branches must succeed. */
export function neededOf(join: Join, size: number): number {
  return join === 'all' ? size : join === 'any' ? 1 : join;
}

/** True for a branch that came to its end. */
export function isSuccess(outcome: RunOutcome | undefined): boolean {
  return outcome?.type === 'ended' && (outcome.reason.type === 'done' || outcome.reason.type === 'finished');
}

/** True for a branch that failed. */
export function isFailure(outcome: RunOutcome | undefined): boolean {
  return outcome?.type === 'ended' && (outcome.reason.type === 'failed' || outcome.reason.type === 'limit');
}
