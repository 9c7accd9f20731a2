import type { RunState, ToolSet } from '../core/index.js';
import { compactionEnd, contextTokens, contextUsed, textTokens } from '../core/index.js';
import type { ReachedLimit } from './limits.js';

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
