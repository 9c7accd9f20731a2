import type { JsonObject, JsonValue, Person, SessionId } from '../../core/index.js';

/** A program's question. Without choices, a form or text, it asks for an approval. */
export interface ProgramQuestion {
  readonly question: string;
  readonly choices?: readonly string[];
  /** JSON Schema of an object of flat fields. */
  readonly form?: JsonObject;
  readonly text?: boolean;
  readonly facts?: Readonly<Record<string, string>>;
  /** A unified diff. */
  readonly diff?: string;
  /** As in a rule: `2 of @ops`. */
  readonly approvers?: string;
  readonly timeout?: string;
  readonly onTimeout?: 'reject' | 'cancel';
}

/** The outcome of a question. */
export interface QuestionOutcome {
  readonly id: SessionId;
  /** `used`: approved, and the approval was already handed out. */
  readonly status: 'waiting' | 'answered' | 'approved' | 'rejected' | 'used';
  /** Digest of the question as it was shown and answered. */
  readonly digest?: string;
  readonly answer?: JsonValue;
  readonly reason?: string;
  /** Who answered. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at?: string;
  /** ISO 8601: when an open question expires. */
  readonly expiresAt?: string;
}

/** Questions of programs, each in a session of its own. */
export interface ServedQuestions {
  /**
   * Saves a question, or finds the earlier one with the same key. An approval that was already handed out is `used`.
   * @throws HitlError BAD_INPUT for an invalid question, or the key of another one
   */
  ask(
    question: ProgramQuestion,
    asker: { readonly name: string; readonly by: Person; readonly key: string },
  ): Promise<QuestionOutcome>;
  /**
   * Waits for the answer, at most `ms`. `isAsker`: the caller asked it, and its approval is handed out by this call.
   * @throws HitlError SESSION_NOT_FOUND for a session that is not a program's question
   */
  outcome(
    id: SessionId,
    how: { readonly ms: number; readonly isAsker: boolean },
    signal: AbortSignal,
  ): Promise<QuestionOutcome>;
}
