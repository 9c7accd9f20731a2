/**
 * The reason why a model's reply ended. `tool-use` is the only reason under which its tool requests exist (a reply that
 * was cut in the middle of a tool input has none).
 */
export type ReplyEnd = 'stop' | 'tool-use' | 'length' | 'refusal' | 'context-window' | 'paused' | 'other';

/** The reasons that a provider gives for a refusal; its words, in no fixed list. */
export interface Refusal {
  /** A kind of harm, such as `cyber`. */
  readonly category?: string;
  readonly explanation?: string;
}

/** The reason why a `generate` call ended; Genkit's words. */
export type FinishReason = 'stop' | 'length' | 'blocked' | 'aborted' | 'interrupted' | 'other' | 'unknown';

/** The word for programs for a reply that the model did not finish. */
export type Unfinished = 'refused' | 'cut' | 'context-full';

/** Tells a reply that the model did not finish; `undefined` for every other end. */
export function unfinishedOf(end: ReplyEnd): Unfinished | undefined {
  switch (end) {
    case 'refusal':
      return 'refused';
    case 'length':
      return 'cut';
    case 'context-window':
      return 'context-full';
    case 'stop':
    case 'tool-use':
    case 'paused':
    case 'other':
      return undefined;
  }
}

/** Genkit's word for the end of a reply. */
export function finishReasonOf(end: ReplyEnd): FinishReason {
  switch (end) {
    case 'stop':
    case 'tool-use':
      return 'stop';
    case 'length':
    case 'context-window':
      return 'length';
    case 'refusal':
      return 'blocked';
    case 'paused':
    case 'other':
      return 'other';
  }
}
