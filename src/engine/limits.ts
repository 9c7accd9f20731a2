import type { InterruptDraft, RunState } from '../core/index.js';
import { HitlError, knownCost } from '../core/index.js';
import { bindingOf } from './binding.js';

/** The limit of rounds where none is given. */
export const DEFAULT_MAX_TURNS = 50;

/** The amounts that a run may use up before a person is asked. An absent member does not limit, except the rounds. */
export interface Limits {
  /**
   * Rounds of tool calls for one user message. Default `DEFAULT_MAX_TURNS`, 50; 5 in bare `generate`. Without a limit:
   * `Number.POSITIVE_INFINITY`.
   */
  readonly maxTurns?: number | undefined;
  /** US dollars over the whole session. */
  readonly maxCostUsd?: number;
  /** Tokens over the whole session, in and out together. */
  readonly maxTokens?: number;
  /** Milliseconds since the run began. */
  readonly maxTimeMs?: number;
}

type LimitName = 'turns' | 'cost' | 'time' | 'tokens' | 'context';

export interface ReachedLimit {
  readonly limit: LimitName;
  readonly max: number;
  /** `null` where nobody knows: the price of the model is not known, so no limit of cost can be kept; or where no summary made room. */
  readonly spent: number | null;
}

/**
 * Looks at limits before anything is measured against them: one that is no number would limit nothing.
 * @throws HitlError BAD_CONFIG
 */
export function checkLimits(limits: Limits): void {
  const { maxTurns, maxCostUsd, maxTokens, maxTimeMs } = limits;
  for (const [name, given] of Object.entries({ maxTurns, maxCostUsd, maxTokens, maxTimeMs })) {
    if (given === undefined || (typeof given === 'number' && given >= 0)) continue;
    throw new HitlError('BAD_CONFIG', `\`${name}\` must be a number, 0 or above, got ${String(given)}`, {
      hint: 'without a limit: `Number.POSITIVE_INFINITY`',
    });
  }
}

/** The first limit that a run has used up, with what people extended counted in. `elapsedMs` is the run's age. */
export function reachedLimit(state: RunState, limits: Limits, elapsedMs: number): ReachedLimit | undefined {
  const { maxTurns = DEFAULT_MAX_TURNS } = limits;
  return (
    reached('turns', maxTurns, state.extended.rounds, state.rounds) ??
    reachedSpending(state, limits, elapsedMs)
  );
}

/** The first limit but that of rounds: what the model may still say costs none. */
export function reachedSpending(
  { extended, usage }: RunState,
  { maxCostUsd, maxTokens, maxTimeMs }: Limits,
  elapsedMs: number,
): ReachedLimit | undefined {
  return (
    reached('cost', maxCostUsd, extended.costUsd, knownCost(usage) ?? null) ??
    reached('tokens', maxTokens, extended.tokens ?? 0, usage.inputTokens + usage.outputTokens) ??
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
  const asked = { kind: 'limit', source: { type: 'run' }, payload: { limit, max, spent }, bound } as const;
  return limit === 'context' ? { ...asked, allowed: ['continue', 'extend', 'cancel'] } : asked;
}
