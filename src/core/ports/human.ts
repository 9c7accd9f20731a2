import type { Part } from '../data/message.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Answer, ShownEdit } from '../data/resolution.js';
import type { Review } from '../data/review.js';
import type { SessionSize } from '../question/session-scope.js';
import type { RunState } from '../state/state.js';

/**
 * A decision about one open interrupt, or none. `always` also approves later calls of the session; `true` means
 * exactly this call. `seen`: the preview of an edit that the person approved; it applies only while it is accurate.
 */
export type AskResult =
  | {
      readonly type: 'answered';
      readonly answer: Answer;
      readonly always?: boolean | SessionSize;
      readonly seen?: ShownEdit;
    }
  /** Nobody answered: the interrupts stay open (law 6). */
  | { readonly type: 'left-open'; readonly why: string };

/** The question that an edited call would ask, or why the call cannot run. */
export type EditPreview =
  | { readonly ok: true; readonly interrupt: Interrupt; readonly shown: ShownEdit }
  /** One line per issue. */
  | { readonly ok: false; readonly issues: readonly string[] };
/** Functions that a channel may call while it asks. */
export interface AskingHelp {
  /** Previews a call with another input; runs and stores nothing. */
  preview(interrupt: Interrupt, input: JsonValue, signal: AbortSignal): Promise<EditPreview>;
  /** Makes a review durable. @returns the state with it */
  reviewed?(review: Review): Promise<RunState>;
  /** Shows that a reviewer is at work, until its review is durable. */
  readonly reviewing?: (name: string) => void;
}

/** Something that can be asked: a person, a script, a rule. */
export interface HumanChannel {
  /** Whether an invalid answer can be corrected, because a person is present. Default: false. */
  readonly interactive?: boolean;
  /**
   * Asks about the open interrupts and returns the first answer; call it again for the rest. Aborting the signal
   * withdraws the question, for example when another process answered.
   * @throws HitlError BAD_ANSWER for an invalid answer; the interrupt stays open.
   */
  ask(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
    help?: AskingHelp,
  ): Promise<AskResult>;
}

/** A user message, or the end of them. */
export type Turn =
  | {
      readonly type: 'message';
      readonly text: string;
      /** Parts attached to the text, such as files. */
      readonly attached?: readonly Part[];
    }
  | { readonly type: 'end'; readonly why: string };

/** The source of user messages. */
export interface TurnSource {
  /** Waits for the next user message. After an abort, unread input stays for the next call. */
  next(state: RunState, signal: AbortSignal): Promise<Turn>;
}
