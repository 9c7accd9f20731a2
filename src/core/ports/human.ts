import type { Part } from '../data/message.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Answer } from '../data/resolution.js';
import type { SessionSize } from '../question/session-scope.js';
import type { RunState } from '../state/state.js';

/**
 * The decision of a person or a script about one of the open interrupts, or that nobody decided. `always` approves
 * later calls as well, for the rest of the session: `true` is exactly this call.
 */
export type AskResult =
  | { readonly type: 'answered'; readonly answer: Answer; readonly always?: boolean | SessionSize }
  /** Nobody answered: the interrupts stay open (law 6). */
  | { readonly type: 'left-open'; readonly why: string };

/** Somebody who can be asked: a person, a script, a rule. */
export interface HumanChannel {
  /** True where an answer that does not fit can be given again: a person sits there. Default false. */
  readonly interactive?: boolean;
  /**
   * Asks about the open interrupts, and returns with the first answer; the rest is asked again.
   * Aborting the signal withdraws the question: another process answered, or the person leaves.
   * @throws HitlError BAD_ANSWER where an answer does not fit; the interrupt stays open.
   */
  ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult>;
}

/** A user's turn, or the end of them. */
export type Turn =
  | {
      readonly type: 'message';
      readonly text: string;
      /** The parts that go with the text: files that it names. */
      readonly attached?: readonly Part[];
    }
  | { readonly type: 'end'; readonly why: string };

/** The source of the user's turns. */
export interface TurnSource {
  /** Waits for the next user turn. Aborting the signal leaves what was not taken for the next call. */
  next(state: RunState, signal: AbortSignal): Promise<Turn>;
}
