import type { InterruptDraft, RunState, ToolSet } from '../core/index.js';
import {
  compactionEnd,
  contextTokens,
  contextUsed,
  HitlError,
  knownCost,
  textTokens,
} from '../core/index.js';
import { bindingOf } from './interrupts.js';

/** Default limit of tool rounds. */
export const DEFAULT_MAX_TURNS = 50;

/** Limits of a run, after which a person is asked. An absent one does not apply, except rounds. */
export interface Limits {
  /**
   * Maximum tool rounds for one user message. Default `DEFAULT_MAX_TURNS`, 50; 5 in bare `generate`. No limit:
   * `Number.POSITIVE_INFINITY`.
   */
  readonly maxTurns?: number | undefined;
  /** US dollars over the whole session. */
  readonly maxCostUsd?: number;
  /** Tokens over the whole session, in and out. */
  readonly maxTokens?: number;
  /** Milliseconds since the run started. */
  readonly maxTimeMs?: number;
}

type LimitName = 'turns' | 'cost' | 'time' | 'tokens' | 'context';

export interface ReachedLimit {
  readonly limit: LimitName;
  readonly max: number;
  /** `null` if unknown: without the model's price no cost limit can be enforced; or no summary made room. */
  readonly spent: number | null;
}

/**
 * Validates limits: one that is not a number would limit nothing.
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

/** Returns the first used-up limit of a run, including extensions. `elapsedMs` is the run's age. */
export function reachedLimit(state: RunState, limits: Limits, elapsedMs: number): ReachedLimit | undefined {
  const { maxTurns = DEFAULT_MAX_TURNS } = limits;
  return (
    reached('turns', maxTurns, state.extended.rounds, state.rounds) ??
    reachedSpending(state, limits, elapsedMs)
  );
}

/** Returns the first used-up limit except rounds, which a final model text does not use. */
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

/** Creates the question at a reached limit; the answer applies to this run only. */
export function limitDraft({ limit, max, spent }: ReachedLimit, runId: string): InterruptDraft {
  const bound = bindingOf(undefined, runId);
  const asked = { kind: 'limit', source: { type: 'run' }, payload: { limit, max, spent }, bound } as const;
  return limit === 'context' ? { ...asked, allowed: ['continue', 'extend', 'cancel'] } : asked;
}

/** The free context of a conversation. */
export interface ContextRoom {
  /** Tokens of a request. */
  readonly limit: number;
  /** Near the limit, compact automatically or ask a person. Default: `auto`. */
  readonly compact?: 'auto' | 'ask';
}

/** Parts of a request besides the conversation. */
export interface Fixed {
  readonly tools: ToolSet;
  readonly system?: string | undefined;
  /** The provider's token count of the next request. Default: estimated. */
  readonly counted?: number | undefined;
}

/** Share of the limit at which to act, and share kept for the latest messages. */
const NEAR = 0.8;
/** The share of the limit that may be estimated. */
const ESTIMATED = 0.1;
const KEPT = 0.25;

/** Estimates the tokens sent with every request. */
export function fixedTokens({ tools, system = '' }: Fixed): number {
  const { descriptors } = tools;
  return (descriptors.length === 0 ? 0 : textTokens(JSON.stringify(descriptors))) + textTokens(system);
}

/** What to do about the context before the next request; nothing if there is room. */
export type RoomStep =
  | { readonly type: 'compact'; readonly to: number; readonly limit: number }
  | { readonly type: 'raise-limit'; readonly reached: ReachedLimit };

/** Decides from the state alone whether to compact before the next request. */
export function roomStep(state: RunState, room: ContextRoom, fixed: Fixed): RoomStep | undefined {
  const limit = room.limit + (state.extended.contextTokens ?? 0);
  const used = fixed.counted ?? contextTokens(state, fixedTokens(fixed));
  const wanted = state.wantsCompaction === true;
  if (used < limit * NEAR && !wanted) return undefined;
  const to = endOf(state, limit);
  if (to !== undefined && (wanted || room.compact !== 'ask')) return { type: 'compact', to, limit };
  if (used < limit && (to === undefined || wanted)) return undefined;
  return { type: 'raise-limit', reached: { limit: 'context', max: limit, spent: used } };
}

/** Whether the estimated share of the next request is large enough to ask the provider for a count. */
export function isUncertain(state: RunState, room: ContextRoom, fixed: Fixed): boolean {
  if (fixed.counted !== undefined) return false;
  const limit = room.limit + (state.extended.contextTokens ?? 0);
  return contextTokens(state, fixedTokens(fixed)) - contextUsed(state) > limit * ESTIMATED;
}

/**
 * Returns how many messages can be compacted; none if nothing was added since a summary that did not make
 * enough room.
 */
function endOf(state: RunState, limit: number): number | undefined {
  const { compacted, entries } = state;
  if (compacted?.at === entries.length) return undefined;
  return compactionEnd(state, limit * KEPT);
}
