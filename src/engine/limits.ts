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

/** The room that a conversation has in the context of its model. */
export interface ContextRoom {
  /** Tokens of a request. */
  readonly limit: number;
  /** Near the limit what was said is summed up, or a person is asked whether it shall be. Default `auto`. */
  readonly compact?: 'auto' | 'ask';
}

/** The parts of a request beside the conversation. */
export interface Fixed {
  readonly tools: ToolSet;
  readonly system?: string | undefined;
  /** Tokens of the next request, as its provider counted them. Default: they are estimated. */
  readonly counted?: number | undefined;
}

/** The part of the limit at which there is something to do, and the part that the latest messages may keep. */
const NEAR = 0.8;
/** The part of the limit that may be estimated. */
const ESTIMATED = 0.1;
const KEPT = 0.25;

/** Tokens of what is sent with every request, about. */
export function fixedTokens({ tools, system = '' }: Fixed): number {
  const { descriptors } = tools;
  return (descriptors.length === 0 ? 0 : textTokens(JSON.stringify(descriptors))) + textTokens(system);
}

/** The thing to do about the room before the model is asked; nothing where there is room enough. */
export type RoomStep =
  | { readonly type: 'compact'; readonly to: number; readonly limit: number }
  | { readonly type: 'raise-limit'; readonly reached: ReachedLimit };

/** Decides whether a conversation has to be summed up before its next request, by its state and nothing else. */
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

/** True where so much of the next request is estimated that its provider should count it first. */
export function isUncertain(state: RunState, room: ContextRoom, fixed: Fixed): boolean {
  if (fixed.counted !== undefined) return false;
  const limit = room.limit + (state.extended.contextTokens ?? 0);
  return contextTokens(state, fixedTokens(fixed)) - contextUsed(state) > limit * ESTIMATED;
}

/** The end of what can be summed up; nothing new was said since a summary that did not make room enough. */
function endOf(state: RunState, limit: number): number | undefined {
  const { compacted, entries } = state;
  if (compacted?.at === entries.length) return undefined;
  return compactionEnd(state, limit * KEPT);
}
