import type { InterruptDraft, RunState } from '../core/index.js';
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
  readonly spent: number;
}

/** The first limit that a run has used up, with what people extended counted in. `elapsedMs` is the run's age. */
export function reachedLimit(state: RunState, limits: Limits, elapsedMs: number): ReachedLimit | undefined {
  const { extended, rounds, usage } = state;
  const candidates: readonly [LimitName, number | undefined, number][] = [
    ['turns', plus(limits.maxTurns, extended.turns), rounds],
    ['cost', plus(limits.maxCostUsd, extended.costUsd), usage.costUsd ?? 0],
    ['time', plus(limits.maxTimeMs, extended.timeMs), elapsedMs],
  ];
  for (const [limit, max, spent] of candidates)
    if (max !== undefined && spent >= max) return { limit, max, spent };
  return undefined;
}

function plus(limit: number | undefined, extended: number): number | undefined {
  return limit === undefined ? undefined : limit + extended;
}

/** The question that a reached limit asks; the answer holds for this run alone. */
export function limitDraft({ limit, max, spent }: ReachedLimit, runId: string): InterruptDraft {
  const bound = bindingOf(undefined, runId);
  return { kind: 'limit', source: { type: 'run' }, payload: { limit, max, spent }, bound };
}
