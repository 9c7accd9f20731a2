import type { InterruptDraft, RunState } from '../core/index.js';
import { knownCost } from '../core/index.js';
import { bindingOf } from './binding.js';

/** What a run may use up before a person is asked. Absent members do not limit. */
export interface Limits {
  /** Rounds of tool calls for one user message. Default 50 in a session, 5 in bare `generate`. */
  readonly maxTurns?: number;
  /** US dollars over the whole session. */
  readonly maxCostUsd?: number;
  /** Milliseconds since the run began. */
  readonly maxTimeMs?: number;
}

export type LimitName = 'turns' | 'cost' | 'time';

export interface ReachedLimit {
  readonly limit: LimitName;
  readonly max: number;
  /** `null` where nobody knows: the price of the model is not known, so no limit of cost can be kept. */
  readonly spent: number | null;
}

/** The first limit that a run has used up, with what people extended counted in. `elapsedMs` is the run's age. */
export function reachedLimit(state: RunState, limits: Limits, elapsedMs: number): ReachedLimit | undefined {
  const { maxTurns, maxCostUsd, maxTimeMs } = limits;
  const { extended, rounds, usage } = state;
  return (
    reached('turns', maxTurns, extended.turns, rounds) ??
    reached('cost', maxCostUsd, extended.costUsd, knownCost(usage) ?? null) ??
    reached('time', maxTimeMs, extended.timeMs, elapsedMs)
  );
}

function reached(
  limit: LimitName,
  given: number | undefined,
  extended: number,
  spent: number | null,
): ReachedLimit | undefined {
  if (given === undefined) return undefined;
  // Nobody can tell when it is used up: a person says whether to go on without it.
  const isReached = spent === null ? extended === 0 : spent >= given + extended;
  if (!isReached) return undefined;
  return { limit, max: given + extended, spent };
}

/** The question that a reached limit asks; the answer holds for this run alone. */
export function limitDraft({ limit, max, spent }: ReachedLimit, runId: string): InterruptDraft {
  const bound = bindingOf(undefined, runId);
  return { kind: 'limit', source: { type: 'run' }, payload: { limit, max, spent }, bound };
}
