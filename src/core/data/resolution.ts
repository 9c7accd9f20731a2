import type { InterruptId } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Part } from './message.js';

/** The properties of a manually built response, in addition to its output. */
export interface VerbatimResponse {
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** The edited call as it was shown. */
export interface ShownEdit {
  /** The edited input after parsing. The call runs with it. */
  readonly input: JsonValue;
  /**
   * The approval request that the tool's gate raises for the edited call. Absent if the gate does not ask.
   */
  readonly request?: JsonObject;
  /** The tool's one-line title for the edited call. */
  readonly title?: string;
}

/** A decision on an interrupt, as plain JSON. `allowedActions` lists the actions for each kind. */
export type Resolution =
  /**
   * Provides the call's output instead of running the tool. `metadata` is kept as Genkit's
   * `interruptResponse`; if it is absent, `true` is kept instead. A manually built response is kept
   * `verbatim`, without `interruptResponse`.
   */
  | {
      readonly action: 'respond';
      readonly output: JsonValue;
      readonly metadata?: JsonValue;
      readonly verbatim?: VerbatimResponse;
    }
  /** Approves the call: runs it with `input` if provided, otherwise with the input as shown. */
  | {
      readonly action: 'restart';
      readonly input?: JsonValue;
      readonly metadata?: JsonValue;
      /** The edited call as it was shown when the edit was accepted. If absent, hitl asks again. */
      readonly shown?: ShownEdit;
      /** A note for the model, sent after the results of its calls. */
      readonly note?: string;
    }
  /**
   * Runs the call as if it had never been started. An earlier approval stays valid, but this action does not
   * grant one.
   */
  | { readonly action: 'retry' }
  /** Does not run the call. hitl sends the reason to the model, which may try something else. */
  | { readonly action: 'reject'; readonly reason?: string }
  /** Does not run the call. hitl tells the model that the call was cancelled. */
  | { readonly action: 'cancel'; readonly reason?: string }
  | { readonly action: 'continue' }
  | { readonly action: 'skip' }
  | { readonly action: 'rerun'; readonly guidance?: string }
  | { readonly action: 'go-back'; readonly steps?: number; readonly to?: string }
  | { readonly action: 'update-state'; readonly patch: JsonObject }
  | { readonly action: 'change-condition'; readonly patch: JsonObject }
  | { readonly action: 'defer'; readonly note: string }
  /** Enters another node without undoing anything. */
  | { readonly action: 'goto'; readonly node: string }
  | { readonly action: 'edit-input'; readonly value: JsonValue }
  /** Replaces the node's output. */
  | { readonly action: 'edit-output'; readonly value: JsonValue }
  /**
   * Combines several actions: first edits of the state and the conditions, then an edit of the output, then
   * at most one action that chooses the next step.
   */
  | { readonly action: 'sequence'; readonly actions: readonly Resolution[] }
  | { readonly action: 'pause' }
  /**
   * Raises the limit that was reached, in that limit's unit: rounds, activations, tokens, US dollars or
   * milliseconds.
   */
  | { readonly action: 'extend'; readonly by: number };

/** An action that can be taken on an interrupt. */
export type ResolutionAction = Resolution['action'];

/**
 * An action allowed on a call: `approve` runs it as shown, `edit` runs it with a changed input, and `restart`
 * allows both.
 */
export type AnswerWay = 'approve' | 'edit' | 'restart' | 'respond' | 'reject' | 'cancel';

/** The channel through which a person acted. */
export type PersonVia = 'terminal' | 'answer' | 'library' | 'web' | 'slack' | 'ag-ui' | 'editor';

/** The person, rule or process that made a decision. */
export type Actor =
  | {
      readonly type: 'person';
      readonly name: string;
      readonly via: PersonVia;
      /**
       * The person's identity, as proven by a sign-in, token or signed request. If absent, the name is
       * unproven.
       */
      readonly id?: {
        /** The issuer that identified the subject: a sign-in URL, or a name such as `slack:ACME`. */
        readonly issuer: string;
        readonly subject: string;
      };
      /** The person's groups, as reported by the sign-in service. */
      readonly groups?: readonly string[];
      readonly host?: string;
      readonly pid?: number;
      /** The parent process. */
      readonly parent?: { readonly pid: number; readonly name: string };
      /** The process's terminal; `none` if it has none. */
      readonly terminal?: string;
      /** Start time of the process, ISO 8601. */
      readonly startedAt?: string;
    }
  | {
      readonly type: 'script';
      readonly name: string;
      readonly via: 'stdin' | 'answers' | 'flag';
      readonly place?: string;
    }
  | {
      readonly type: 'rule';
      readonly rule: string;
      /** The source of the rule: a file and line, a flag, or the session. */
      readonly from?: string;
      /** The rule's text. */
      readonly says?: string;
      /**
       * The use of a grant that this answer consumes, for example the second of five. Absent if the rule does
       * not belong to a grant.
       */
      readonly grant?: {
        /** The id of the question that created the grant, and the rule's number within the grant: `i7.1`. */
        readonly id: string;
        readonly use: number;
        readonly of: number;
      };
    }
  /**
   * A model, command or function that reviews calls before a person is asked. It can only approve, and only
   * calls that it has reviewed.
   */
  | {
      readonly type: 'reviewer';
      readonly via: 'model' | 'command' | 'function';
      /** The model's spec, the command, or the function's name. */
      readonly name: string;
    }
  /**
   * The timeout: the question expired unanswered. Recorded only by the session's writer, and never as an
   * approval.
   */
  | { readonly type: 'clock' };

/** Rows of a question that were not on screen when a person deliberately approved it. */
export interface Unread {
  readonly rows: number;
  readonly of: number;
}

/** A resolution for one interrupt, tied to the content that was shown. */
export interface Answer {
  readonly id: InterruptId;
  /** Digest of the interrupt as it was shown to the approver. */
  readonly digest: string;
  readonly resolution: Resolution;
  readonly by: Actor;
  /**
   * The rows that were not on screen when the person deliberately approved. Set only by a terminal. If
   * absent, everything was shown.
   */
  readonly unread?: Unread;
}
