import type { InterruptId } from '../ids.js';
import type { JsonValue } from '../json/index.js';
import type { ApprovalPolicy } from '../people/index.js';

/** The outcome of a question that nobody answers in time. It is never a yes: no member of it lets a call run. */
export type OnTimeout =
  /** The answer to a question with a schema; of anything else it is a `reject`. */
  | { readonly action: 'respond'; readonly output: JsonValue }
  /** Nobody agreed; a `cancel` where the question takes no `reject`. */
  | { readonly action: 'reject' }
  | { readonly action: 'cancel' }
  /** Somebody else is asked the same. */
  | {
      readonly action: 'escalate';
      /** The name of whoever is asked then. */
      readonly to: string;
      /** More words for them. */
      readonly prompt?: string;
      /** The time that they have. Default: no end. */
      readonly timeoutMs?: number;
      readonly onTimeout?: OnTimeout;
      /** The people whose word it takes then. Each member that is left out stays as before. */
      readonly approvers?: ApprovalPolicy;
    };

/** The question that another one took the place of, because nobody had answered that in time. */
export interface EscalatedFrom {
  readonly id: InterruptId;
  /** The name of whoever is asked now. */
  readonly to: string;
  readonly prompt?: string;
  /** The people whose word that one took, where this one takes the word of others; empty: anybody’s. */
  readonly approvers?: ApprovalPolicy;
}
