import type { InterruptId } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Part } from './message.js';

/** The other properties of a handmade response. */
export interface VerbatimResponse {
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** The plan of an edited call. */
export interface ShownEdit {
  /** The edited and parsed input that runs. */
  readonly input: JsonValue;
  /** The request of the tool's gate about it; absent if the gate does not ask. */
  readonly request?: JsonObject;
  /** The tool's one-line title of the edited call. */
  readonly title?: string;
}

/** The decision about an interrupt; plain JSON. `allowedActions` lists the actions of each kind. */
export type Resolution =
  /**
   * The call's output; the tool does not run. `metadata` is kept as Genkit's `interruptResponse`, `true` if
   * absent. A handmade response is kept `verbatim` without that mark.
   */
  | {
      readonly action: 'respond';
      readonly output: JsonValue;
      readonly metadata?: JsonValue;
      readonly verbatim?: VerbatimResponse;
    }
  /** Approved: run it, with `input` instead of the shown one if given. */
  | {
      readonly action: 'restart';
      readonly input?: JsonValue;
      readonly metadata?: JsonValue;
      /** The plan of the edited input when the edit was accepted. Without it, hitl asks again. */
      readonly shown?: ShownEdit;
      /** A note for the model, which gets it after the results of its calls. */
      readonly note?: string;
    }
  /** Run it as if it had never started. Keeps an earlier approval, grants none. */
  | { readonly action: 'retry' }
  /** Do not run it; the model gets the reason and may try another way. */
  | { readonly action: 'reject'; readonly reason?: string }
  /** Never run it; the model learns that it was cancelled. */
  | { readonly action: 'cancel'; readonly reason?: string }
  | { readonly action: 'continue' }
  | { readonly action: 'skip' }
  | { readonly action: 'rerun'; readonly guidance?: string }
  | { readonly action: 'go-back'; readonly steps?: number; readonly to?: string }
  | { readonly action: 'update-state'; readonly patch: JsonObject }
  | { readonly action: 'change-condition'; readonly patch: JsonObject }
  | { readonly action: 'defer'; readonly note: string }
  /** Enter another node without undoing anything. */
  | { readonly action: 'goto'; readonly node: string }
  | { readonly action: 'edit-input'; readonly value: JsonValue }
  /** Replaces the node's output. */
  | { readonly action: 'edit-output'; readonly value: JsonValue }
  /**
   * Several at once: edits of state and conditions, then of the output, then at most one that chooses the
   * next step.
   */
  | { readonly action: 'sequence'; readonly actions: readonly Resolution[] }
  | { readonly action: 'pause' }
  /** Raises the limit that was reached, in its unit: rounds, activations, tokens, US dollars or milliseconds. */
  | { readonly action: 'extend'; readonly by: number };

/** The possible decisions about an interrupt. */
export type ResolutionAction = Resolution['action'];

/** A permitted action on a call: `approve` runs it as shown, `edit` with another input, `restart` is both. */
export type AnswerWay = 'approve' | 'edit' | 'restart' | 'respond' | 'reject' | 'cancel';

/** The channel through which a person acted. */
export type PersonVia = 'terminal' | 'answer' | 'library' | 'web' | 'slack' | 'ag-ui' | 'editor';

/** The person, rule or process that decided. */
export type Actor =
  | {
      readonly type: 'person';
      readonly name: string;
      readonly via: PersonVia;
      /** The person, as proved by a sign-in, token or signed request. Absent: the name is not proved. */
      readonly id?: {
        /** The issuer of the subject: the URL of a sign-in, `slack:ACME`. */
        readonly issuer: string;
        readonly subject: string;
      };
      /** The person's groups, as reported by the sign-in. */
      readonly groups?: readonly string[];
      readonly host?: string;
      readonly pid?: number;
      /** The process that started it. */
      readonly parent?: { readonly pid: number; readonly name: string };
      /** Its terminal; `none` without one. */
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
      /** Location of the rule: a file and line, a flag, the session. */
      readonly from?: string;
      /** The rule as text. */
      readonly says?: string;
      /**
       * Which use of a grant the answer is, for example the second of five; absent if the rule does not belong to a
       * grant.
       */
      readonly grant?: {
        /** The question that made the grant, and the rule's number in it: `i7.1`. */
        readonly id: string;
        readonly use: number;
        readonly of: number;
      };
    }
  /** A model, command or function that was asked before a person. It only approves, and only what it reviewed. */
  | {
      readonly type: 'reviewer';
      readonly via: 'model' | 'command' | 'function';
      /** The model's spec, the command, or the function's name. */
      readonly name: string;
    }
  /** Time: the question expired unanswered. Only a writer records this, and never an approval. */
  | { readonly type: 'clock' };

/** Rows of a question that were not on the screen when a person deliberately approved it. */
export interface Unread {
  readonly rows: number;
  readonly of: number;
}

/** A resolution for one interrupt as it was shown. */
export interface Answer {
  readonly id: InterruptId;
  /** Digest of the interrupt as shown to the approver. */
  readonly digest: string;
  readonly resolution: Resolution;
  readonly by: Actor;
  /**
   * The rows that were not shown when the person deliberately approved. Only a terminal sets it. Absent: everything
   * was shown.
   */
  readonly unread?: Unread;
}
