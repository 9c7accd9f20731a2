import type { InterruptId, NodePath, ToolRef } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import { isJsonObject, membersOf } from './json.js';
import type { ResolutionAction } from './resolution.js';

/** All reasons for waiting. */
export const INTERRUPT_KINDS = [
  'question',
  'confirmation',
  'gate',
  'pause',
  'error',
  'in-doubt',
  'limit',
] as const;

/** The reason why a run waits for a person. */
export type InterruptKind = (typeof INTERRUPT_KINDS)[number];

/** Effect of running a tool again: none, the same effect, or a second one. Default: `once`. */
export type Effect = 'none' | 'idempotent' | 'once';

/** Returns a valid effect; an unknown one must not happen twice. */
export function knownEffect(effect: string): Effect {
  return effect === 'none' || effect === 'idempotent' ? effect : 'once';
}

/** A tool call that asks or needs approval. */
export interface ToolSource {
  readonly type: 'tool';
  readonly ref: ToolRef;
  readonly name: string;
  /** The exact input of the call if approved as shown (G12). */
  readonly input: JsonValue;
  /** `tool`: the tool's body asked. `approval`: the gate before the body asked; the body has not run. */
  readonly raisedBy: 'tool' | 'approval' | 'engine';
  /** The tool's one-line title of the call; foreign text. Absent if the tool has none. */
  readonly title?: string;
}

/** A node that asks, and its phase. */
export interface NodeSource {
  readonly type: 'node';
  readonly nodeId: string;
  readonly visit: number;
  /** `run`: the node's body asked, or its outcome is unknown. */
  readonly phase: 'before' | 'run' | 'after';
  /** The asking operation of a workflow's code: `healthy#2`. */
  readonly operation?: string;
  /** Name of the outside event that answers it. */
  readonly event?: string;
  /** Answered by time or an event, not by a person. Absent: a question, or unknown in older versions. */
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
   * `schemaDigest` of the tool; an approval is void for another one. Empty: no tool, or one that no longer
   * exists.
   */
  readonly tool: string;
  /** The code that an approval would run: `Tool.code`, or the workflow's. Absent if unknown. */
  readonly code?: string;
}

/** Required approvers, and how many of them must give the same answer. */
export interface ApprovalPolicy {
  /** Number of people who must give the same answer. Default: 1. */
  readonly need?: number;
  /**
   * People by name, `ann`, or with their issuer, `https://id.example.org/ann`, and groups, `@ops`. Default:
   * anyone who may answer in this store.
   */
  readonly from?: readonly string[];
  /** Requesters cannot approve. `false`: even API requesters can, who are excluded by default. */
  readonly notRequester?: boolean;
  /**
   * Accepted issuers, counted together: `local`, `tokens`, `slack`, or one such as `https://id.example.org`.
   * Default: any single issuer, because two may vouch for the same person.
   */
  readonly issuers?: readonly string[];
  /**
   * Property of the answer that must be equal, for example `decision`: a note next to it may differ, and the
   * last answer is used. Default: the whole answer.
   */
  readonly over?: string;
  /** An approver who gives this value, as that property or as the whole answer, decides at once. Default: none. */
  readonly veto?: string | number | boolean;
}

/** A person, as identified when votes are counted. */
export interface Subject {
  /** Empty: unproven name. */
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
}

/** The outcome of a question that is not answered in time. It never approves. */
export type OnTimeout =
  /** The answer to a question with a schema; a `reject` for any other. */
  | { readonly action: 'respond'; readonly output: JsonValue }
  /** Rejected; `cancel` if the question does not accept `reject`. */
  | { readonly action: 'reject' }
  | { readonly action: 'cancel' }
  /** The question escalates to someone else. */
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

/** The question that this one replaces, because it was not answered in time. */
export interface EscalatedFrom {
  readonly id: InterruptId;
  /** Name of the person asked now. */
  readonly to: string;
  readonly prompt?: string;
  /** The approvers of the earlier question, if this one has others; empty: anybody. */
  readonly approvers?: ApprovalPolicy;
}

/** A point at which a run waits for a person; plain JSON with everything needed to ask. */
export interface Interrupt {
  readonly id: InterruptId;
  readonly kind: InterruptKind;
  readonly source: InterruptSource;
  readonly path: NodePath;
  /** The asker's content, `true` if it provided none. Foreign text. */
  readonly payload: JsonValue;
  /** JSON Schema of the output of `respond`. */
  readonly answerSchema?: JsonObject;
  /**
   * A value that the asking body gets back with the answer: if set, a `respond` goes to the body, which runs again.
   * Never shown.
   */
  readonly kept?: JsonValue;
  /**
   * The call's body waits for the answer while it runs. Only its process can ask and answer; the question is
   * withdrawn when the call ends. Absent: the call waits, not its body.
   */
  readonly atOnce?: true;
  readonly allowed: readonly ResolutionAction[];
  /** Restricts `restart`: `required` only with another input, `refused` only as shown. Absent: both. */
  readonly edit?: 'required' | 'refused';
  /** JSON Schema of an edited input; absent if an answer cannot run the call. */
  readonly inputSchema?: JsonObject;
  /** JSON Schema of a `restart`'s `metadata`; absent if the tool does not define it. */
  readonly resumeSchema?: JsonObject;
  /** Digest of the shown content, 64 hex digits; a resolution with another digest is refused (G11). */
  readonly digest: string;
  /** Part of the digest; absent in questions of older versions and of graphs. */
  readonly bound?: Binding;
  /** ISO 8601. Informational: the journal defines the order (G25). */
  readonly raisedAt: string;
  /** ISO 8601: when the time limit ends and `onTimeout` applies. Not part of the digest. */
  readonly expiresAt?: string;
  /** Part of the digest. Default, if the question expires: `reject`. */
  readonly onTimeout?: OnTimeout;
  /**
   * How long an approval is valid, in milliseconds; part of the digest. Absent: until `expiresAt`, or without
   * limit.
   */
  readonly approvalLastsMs?: number;
  /** Required approvers and their number; part of the digest. Absent: one person, anybody. */
  readonly approvers?: ApprovalPolicy;
  /** Author of the proposed input, who cannot approve it. Part of the digest. */
  readonly proposed?: { readonly by: Subject };
  /** The question that this one replaced; part of the digest. */
  readonly escalated?: EscalatedFrom;
}

/** An interrupt without id and digest. */
export type InterruptDraft = Omit<Interrupt, 'id' | 'digest' | 'raisedAt' | 'allowed' | 'path'> & {
  readonly allowed?: readonly ResolutionAction[];
  /** Time limit for an answer, counted from the question; instead of `expiresAt`. */
  readonly timeoutMs?: number;
};

/** Returns the public form of an interrupt, without private tool data. */
export function withoutKept(interrupt: Interrupt): Interrupt {
  const { kept: _kept, ...shown } = interrupt;
  return shown;
}

/** Returns the operation at which the code differs from the journal, if an interrupt asks about one. */
export function differingOperation({ kind, source, payload }: Interrupt): string | undefined {
  if (kind !== 'error' || source.type !== 'node' || !isJsonObject(payload)) return undefined;
  return payload['code'] === 'NONDETERMINISM' ? source.operation : undefined;
}

/** Whether an interrupt reports that code differs from its journal. */
export function isDifference(interrupt: Interrupt): boolean {
  return differingOperation(interrupt) !== undefined;
}

/** Whether an interrupt reports that code does not reach journaled operations. */
export function isOfLeft(interrupt: Interrupt): boolean {
  return isDifference(interrupt) && membersOf(interrupt.payload)['left'] !== undefined;
}

/** Which limit was reached: `turns`, `cost`, `time`, `iterations`. */
export function limitOf({ payload }: Interrupt): string {
  const limit = isJsonObject(payload) ? payload['limit'] : undefined;
  return typeof limit === 'string' ? limit : 'unknown';
}
