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

/** Default maximum number of tool rounds. */
export const DEFAULT_MAX_TURNS = 50;

/**
 * Limits of a run. When one is reached, a person is asked. A limit that is not set does not apply, except for
 * the number of tool rounds, which has a default.
 */
export interface Limits {
  /**
   * Maximum number of tool rounds for one user message. Default: `DEFAULT_MAX_TURNS`, 50; 5 in bare
   * `generate`. For no limit, use `Number.POSITIVE_INFINITY`.
   */
  readonly maxTurns?: number | undefined;
  /** Maximum cost of the whole session, in US dollars. */
  readonly maxCostUsd?: number;
  /** Maximum number of input and output tokens in the whole session. */
  readonly maxTokens?: number;
  /** Maximum time since the start of the run, in milliseconds. */
  readonly maxTimeMs?: number;
}

type LimitName = 'turns' | 'cost' | 'time' | 'tokens' | 'context';

export interface ReachedLimit {
  readonly limit: LimitName;
  readonly max: number;
  /**
   * The amount used; `null` if unknown: for a cost limit, because the model's price is unknown; for the
   * context limit, because no summary could be made.
   */
  readonly spent: number | null;
}

/**
 * Validates limits, because a value that is not a number would never be reached.
 * @throws HitlError BAD_CONFIG if a limit is invalid
 */
export function checkLimits(limits: Limits): void {
  const { maxTurns, maxCostUsd, maxTokens, maxTimeMs } = limits;
  for (const [name, given] of Object.entries({ maxTurns, maxCostUsd, maxTokens, maxTimeMs })) {
    if (given === undefined || (typeof given === 'number' && given >= 0)) continue;
    throw new HitlError('BAD_CONFIG', `\`${name}\` must be a number of at least 0, got ${String(given)}`, {
      hint: 'for no limit, use `Number.POSITIVE_INFINITY`',
    });
  }
}

/**
 * Returns the first limit that a run has reached. Extensions are taken into account.
 * @param elapsedMs time since the run started
 */
export function reachedLimit(state: RunState, limits: Limits, elapsedMs: number): ReachedLimit | undefined {
  const { maxTurns = DEFAULT_MAX_TURNS } = limits;
  return (
    reached('turns', maxTurns, state.extended.rounds, state.rounds) ??
    reachedSpending(state, limits, elapsedMs)
  );
}

/**
 * Returns the first limit reached other than the round limit, which does not apply to the model's final text.
 */
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

/** Creates the question about a limit that was reached. The answer applies to this run only. */
export function limitDraft({ limit, max, spent }: ReachedLimit, runId: string): InterruptDraft {
  const bound = bindingOf(undefined, runId);
  const asked = { kind: 'limit', source: { type: 'run' }, payload: { limit, max, spent }, bound } as const;
  return limit === 'context' ? { ...asked, allowed: ['continue', 'extend', 'cancel'] } : asked;
}

/** The context limit of a conversation. */
export interface ContextRoom {
  /** Maximum number of tokens in a request. */
  readonly limit: number;
  /** Whether to compact automatically near the limit or ask a person. Default: `auto`. */
  readonly compact?: 'auto' | 'ask';
}

/** The parts of a request other than the conversation, and the size of the request if known. */
export interface Fixed {
  readonly tools: ToolSet;
  readonly system?: string | undefined;
  /** Number of tokens in the next request, as counted by the provider. By default, it is estimated. */
  readonly counted?: number | undefined;
}

/** Fraction of the limit at which the conversation is compacted or a person is asked. */
const NEAR = 0.8;
/** Fraction of the limit that may be estimated, and fraction that is kept for the latest messages. */
const ESTIMATED = 0.1;
const KEPT = 0.25;

/** Estimates the number of tokens that are sent with every request. */
export function fixedTokens({ tools, system = '' }: Fixed): number {
  const { descriptors } = tools;
  return (descriptors.length === 0 ? 0 : textTokens(JSON.stringify(descriptors))) + textTokens(system);
}

/** The action needed to keep the next request within the context limit. */
export type RoomStep =
  | { readonly type: 'compact'; readonly to: number; readonly limit: number }
  | { readonly type: 'raise-limit'; readonly reached: ReachedLimit };

/**
 * Decides whether the conversation must be compacted, or a person must be asked, before the next request;
 * `undefined` if neither is needed.
 */
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

/** Whether so much of the next request is estimated that the provider should be asked for a token count. */
export function isUncertain(state: RunState, room: ContextRoom, fixed: Fixed): boolean {
  if (fixed.counted !== undefined) return false;
  const limit = room.limit + (state.extended.contextTokens ?? 0);
  return contextTokens(state, fixedTokens(fixed)) - contextUsed(state) > limit * ESTIMATED;
}

/**
 * Returns the number of messages that can be compacted; `undefined` if nothing was added since the last
 * summary, which did not free enough space.
 */
function endOf(state: RunState, limit: number): number | undefined {
  const { compacted, entries } = state;
  if (compacted?.at === entries.length) return undefined;
  return compactionEnd(state, limit * KEPT);
}
