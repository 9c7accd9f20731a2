import type { Part } from '../data/message.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Answer, ShownEdit } from '../data/resolution.js';
import type { Review } from '../data/review.js';
import type { SessionSize } from '../question/session-scope.js';
import type { RunState } from '../state/state.js';

/**
 * A decision on one open interrupt, or no decision. `always` also approves later calls in the session; `true`
 * covers only calls that are exactly the same. `seen` is the preview of an edit that the person approved. It
 * is used only if it is still accurate.
 */
export type AskResult =
  | {
      readonly type: 'answered';
      readonly answer: Answer;
      readonly always?: boolean | SessionSize;
      readonly seen?: ShownEdit;
    }
  /** The question was not answered. The interrupts stay open (law 6). */
  | { readonly type: 'left-open'; readonly why: string };

/** The question that an edited call would raise, or the reasons that the call cannot run. */
export type EditPreview =
  | { readonly ok: true; readonly interrupt: Interrupt; readonly shown: ShownEdit }
  /** The reasons, one line each. */
  | { readonly ok: false; readonly issues: readonly string[] };
/** Functions that a channel may call while asking. */
export interface AskingHelp {
  /** Previews a call with a changed input. Runs and stores nothing. */
  preview(interrupt: Interrupt, input: JsonValue, signal: AbortSignal): Promise<EditPreview>;
  /**
   * Saves a review; it is durable when the promise resolves.
   * @returns the state that includes it
   */
  reviewed?(review: Review): Promise<RunState>;
  /** Shows that a reviewer is working, until its review is saved. */
  readonly reviewing?: (name: string) => void;
}

/** A channel that answers questions: a person, a script or a rule. */
export interface HumanChannel {
  /** Whether a person is present who can correct an invalid answer. Default: false. */
  readonly interactive?: boolean;
  /**
   * Asks about the open interrupts and returns the first answer. Call it again for the remaining ones. If the
   * signal is aborted, the question is withdrawn, for example because another process answered it.
   * @throws HitlError BAD_ANSWER for an invalid answer; the interrupt stays open.
   */
  ask(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
    help?: AskingHelp,
  ): Promise<AskResult>;
}

/** A message from the user, or the end of the user's input. */
export type Turn =
  | {
      readonly type: 'message';
      readonly text: string;
      /** Parts attached to the message text, such as files. */
      readonly attached?: readonly Part[];
    }
  | { readonly type: 'end'; readonly why: string };

/** The source of user messages. */
export interface TurnSource {
  /** Waits for the next user message. After an abort, unread input stays for the next call. */
  next(state: RunState, signal: AbortSignal): Promise<Turn>;
}
