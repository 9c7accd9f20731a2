import type { Interrupt } from '../interrupt.js';
import type { Vote } from '../people/index.js';
import type { RunState } from '../state.js';
import { openInterrupts } from '../state.js';
import { votesIn } from './guard.js';
import { standingVotes } from './tally.js';

/** A question that waits, with the votes that stand about it; absent where there are none. */
export interface OpenQuestion {
  readonly interrupt: Interrupt;
  readonly votes?: readonly Vote[];
}

/** Every question that waits for an answer, in source order, and how far each is. */
export function openQuestions(state: RunState): readonly OpenQuestion[] {
  return openInterrupts(state).map((interrupt) => {
    const votes = interrupt.approvers === undefined ? [] : standingVotes(votesIn(state), interrupt.id);
    return { interrupt, ...(votes.length > 0 && { votes }) };
  });
}
