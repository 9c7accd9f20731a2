import type { InterruptId, NodePath, ToolRef } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import { isJsonObject, membersOf } from './json.js';
import type { ResolutionAction } from './resolution.js';

/** All reasons a run can wait for a person. */
export const INTERRUPT_KINDS = [
  'question',
  'confirmation',
  'gate',
  'pause',
  'error',
  'in-doubt',
  'limit',
] as const;

/** The reason a run is waiting for a person. */
export type InterruptKind = (typeof INTERRUPT_KINDS)[number];

/**
 * Effect of running a tool again: none, the same effect again (idempotent), or a second effect (once).
 * Default: `once`.
 */
export type Effect = 'none' | 'idempotent' | 'once';

/** Returns a known effect. An unknown one is treated as `once`. */
export function knownEffect(effect: string): Effect {
  return effect === 'none' || effect === 'idempotent' ? effect : 'once';
}

/** A tool call that asks a question or needs approval. */
export interface ToolSource {
  readonly type: 'tool';
  readonly ref: ToolRef;
  readonly name: string;
  /** The exact input that the call receives if it is approved as shown (G12). */
  readonly input: JsonValue;
  /** `tool`: the tool's body asked. `approval`: the approval check asked, and the body has not run. */
  readonly raisedBy: 'tool' | 'approval' | 'engine';
  /** The tool's one-line title for the call. Untrusted text. Absent if the tool does not provide one. */
  readonly title?: string;
}

/** A node that asks, and its phase. */
export interface NodeSource {
  readonly type: 'node';
  readonly nodeId: string;
  readonly visit: number;
  /** `run`: the node's body asked, or it is unknown whether the body finished. */
  readonly phase: 'before' | 'run' | 'after';
  /** The operation that asks, in the workflow's code: `healthy#2`. */
  readonly operation?: string;
  /** Name of the external event that answers the question. */
  readonly event?: string;
  /**
   * Set if a timer or an external event answers instead of a person. If absent, the interrupt is a question
   * or was recorded by an older version.
   */
  readonly wait?: 'timer' | 'event';
}

/** The run itself: a limit or a requested pause. */
export interface RunSource {
  readonly type: 'run';
}

/** The source of a question: a tool call, a node, or the run itself. */
export type InterruptSource = ToolSource | NodeSource | RunSource;

/** The context that an answer is bound to, in addition to the shown content (G11). */
export interface Binding {
  /** The session or conversation that asks. */
  readonly run: string;
  /**
   * `schemaDigest` of the tool. An approval is not valid for any other tool. Empty if there is no tool, or if
   * the tool no longer exists.
   */
  readonly tool: string;
  /** The code that an approval would run: `Tool.code`, or the workflow's code. Absent if unknown. */
  readonly code?: string;
}

/** The required approvers, and how many of them must give the same answer. */
export interface ApprovalPolicy {
  /** Number of people who must give the same answer. Default: 1. */
  readonly need?: number;
  /**
   * Approvers: people by name (`ann`) or with their issuer (`https://id.example.org/ann`), and groups
   * (`@ops`). Default: anyone who may answer in this store.
   */
  readonly from?: readonly string[];
  /**
   * Whether requesters are excluded from approving. `false` allows even those who made the request through an
   * API, who are excluded by default.
   */
  readonly notRequester?: boolean;
  /**
   * Issuers whose votes are accepted and counted together: `local`, `tokens`, `slack`, or a URL such as
   * `https://id.example.org`. Default: any single issuer, because one person may be known to two issuers.
   */
  readonly issuers?: readonly string[];
  /**
   * Property of the answer on which approvers must agree, for example `decision`. Other properties, such as a
   * note, may differ; those of the last answer are used. Default: the whole answer.
   */
  readonly over?: string;
  /**
   * A value that lets a single approver decide at once. It is given as the `over` property or as the whole
   * answer. Default: none.
   */
  readonly veto?: string | number | boolean;
}

/** The identity of a person, used to count votes. */
export interface Subject {
  /** Empty: unproven name. */
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
}

/** The outcome for a question that is not answered in time. It never approves. */
export type OnTimeout =
  /** The answer, for a question with a schema. For any other question, `reject` applies. */
  | { readonly action: 'respond'; readonly output: JsonValue }
  /** Rejects the question, or applies `cancel` if the question does not accept `reject`. */
  | { readonly action: 'reject' }
  | { readonly action: 'cancel' }
  /** Escalates the question to someone else. */
  | {
      readonly action: 'escalate';
      /** Name of the person to ask. */
      readonly to: string;
      /** Additional text for that person. */
      readonly prompt?: string;
      /** That person's time limit. Default: none. */
      readonly timeoutMs?: number;
      readonly onTimeout?: OnTimeout;
      /** The approvers after the escalation. Omitted properties stay unchanged. */
      readonly approvers?: ApprovalPolicy;
    };

/** The question that this one replaces because it was not answered in time. */
export interface EscalatedFrom {
  readonly id: InterruptId;
  /** Name of the person asked now. */
  readonly to: string;
  readonly prompt?: string;
  /**
   * The earlier question's approvers, if they differ from this one's. If empty, anyone could answer the
   * earlier question.
   */
  readonly approvers?: ApprovalPolicy;
}

/** A point at which a run waits for a person, as plain JSON with everything needed to ask. */
export interface Interrupt {
  readonly id: InterruptId;
  readonly kind: InterruptKind;
  readonly source: InterruptSource;
  readonly path: NodePath;
  /** The content of the question, or `true` if there is none. Untrusted text. */
  readonly payload: JsonValue;
  /** JSON Schema of the `respond` output. */
  readonly answerSchema?: JsonObject;
  /**
   * A value that is passed back to the tool's body with the answer. If set, a `respond` runs the body again.
   * Never shown.
   */
  readonly kept?: JsonValue;
  /**
   * Set if the call's body keeps running while it waits for the answer. In that case, only its own process
   * can ask and answer, and the question is withdrawn when the call ends. If absent, the call waits and its
   * body is not running.
   */
  readonly atOnce?: true;
  readonly allowed: readonly ResolutionAction[];
  /**
   * Restricts `restart`. `required`: only with a changed input. `refused`: only as shown. If absent, both are
   * accepted.
   */
  readonly edit?: 'required' | 'refused';
  /** JSON Schema of an edited input; absent if no answer can run the call. */
  readonly inputSchema?: JsonObject;
  /** JSON Schema of a `restart`'s `metadata`; absent if the tool does not define it. */
  readonly resumeSchema?: JsonObject;
  /** Digest of the shown content, 64 hex digits. A resolution with a different digest is refused (G11). */
  readonly digest: string;
  /**
   * The context that the answer is bound to. Part of the digest; absent in questions from older versions and
   * graphs.
   */
  readonly bound?: Binding;
  /**
   * Time at which the question was raised, ISO 8601. For information only: the journal defines the order
   * (G25).
   */
  readonly raisedAt: string;
  /** Time at which the time limit ends and `onTimeout` applies, ISO 8601. Not part of the digest. */
  readonly expiresAt?: string;
  /**
   * Outcome if the question is not answered in time. Part of the digest. Default for a question that expires:
   * `reject`.
   */
  readonly onTimeout?: OnTimeout;
  /**
   * How long an approval is valid, in milliseconds. Part of the digest. If absent, until `expiresAt`, or
   * indefinitely.
   */
  readonly approvalLastsMs?: number;
  /** Required approvers and how many of them must agree. Part of the digest. Default: any one person. */
  readonly approvers?: ApprovalPolicy;
  /** Author of the proposed input, who cannot approve it. Part of the digest. */
  readonly proposed?: { readonly by: Subject };
  /** The question that this one replaced. Part of the digest. */
  readonly escalated?: EscalatedFrom;
}

/** An interrupt that does not have an id or digest yet. */
export type InterruptDraft = Omit<Interrupt, 'id' | 'digest' | 'raisedAt' | 'allowed' | 'path'> & {
  readonly allowed?: readonly ResolutionAction[];
  /** Time limit for an answer, measured from when the question is asked. Replaces `expiresAt`. */
  readonly timeoutMs?: number;
};

/**
 * Returns a copy of an interrupt that is safe to show because it does not include the tool's private data.
 */
export function withoutKept(interrupt: Interrupt): Interrupt {
  const { kept: _kept, ...shown } = interrupt;
  return shown;
}

/**
 * Returns the operation at which the code differs from the journal, if the interrupt reports such a
 * difference.
 */
export function differingOperation({ kind, source, payload }: Interrupt): string | undefined {
  if (kind !== 'error' || source.type !== 'node' || !isJsonObject(payload)) return undefined;
  return payload['code'] === 'NONDETERMINISM' ? source.operation : undefined;
}

/** Whether an interrupt reports that code differs from its journal. */
export function isDifference(interrupt: Interrupt): boolean {
  return differingOperation(interrupt) !== undefined;
}

/** Whether an interrupt reports that the code does not reach all journaled operations. */
export function isOfLeft(interrupt: Interrupt): boolean {
  return isDifference(interrupt) && membersOf(interrupt.payload)['left'] !== undefined;
}

/** Returns the limit that was reached: `turns`, `cost`, `time`, `iterations`. */
export function limitOf({ payload }: Interrupt): string {
  const limit = isJsonObject(payload) ? payload['limit'] : undefined;
  return typeof limit === 'string' ? limit : 'unknown';
}
