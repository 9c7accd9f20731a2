import type { JsonObject, JsonValue, Person, SessionId } from '../../core/index.js';

/** A question asked by a program. Without choices, form or text, it asks for approval. */
export interface ProgramQuestion {
  readonly question: string;
  readonly choices?: readonly string[];
  /** JSON Schema for a form: an object with flat fields. */
  readonly form?: JsonObject;
  readonly text?: boolean;
  readonly facts?: Readonly<Record<string, string>>;
  /** A unified diff. */
  readonly diff?: string;
  /** Required approvers, as in a rule: `2 of @ops`. */
  readonly approvers?: string;
  readonly timeout?: string;
  readonly onTimeout?: 'reject' | 'cancel';
}

/** The outcome of a question. */
export interface QuestionOutcome {
  readonly id: SessionId;
  /** `used` means that the question was approved and the approval has already been handed out. */
  readonly status: 'waiting' | 'answered' | 'approved' | 'rejected' | 'used';
  /** Digest of the question that was shown and answered. */
  readonly digest?: string;
  readonly answer?: JsonValue;
  readonly reason?: string;
  /** Who answered. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at?: string;
  /** Expiry time of an open question, in ISO 8601. */
  readonly expiresAt?: string;
}

/** Questions asked by programs, each in its own session. */
export interface ServedQuestions {
  /**
   * Saves a question, or finds the earlier one with the same key. An approval that has already been handed
   * out is reported as `used`.
   * @throws HitlError BAD_INPUT for an invalid question, or if the key belongs to a different question
   */
  ask(
    question: ProgramQuestion,
    asker: { readonly name: string; readonly by: Person; readonly key: string },
  ): Promise<QuestionOutcome>;
  /**
   * Waits at most `ms` for the answer. If `isAsker` is true, the caller asked the question, and this call
   * hands out the approval.
   * @throws HitlError SESSION_NOT_FOUND for a session that does not belong to a program's question
   */
  outcome(
    id: SessionId,
    how: { readonly ms: number; readonly isAsker: boolean },
    signal: AbortSignal,
  ): Promise<QuestionOutcome>;
}
