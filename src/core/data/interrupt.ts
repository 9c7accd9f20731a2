import type { InterruptId, NodePath, ToolRef } from './ids.js';
import type { JsonObject, JsonValue } from './json.js';
import { isJsonObject, membersOf } from './json.js';
import type { ResolutionAction } from './resolution.js';

/** Every reason why a run waits for a person. */
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

/** The effect of a second run of a tool: nothing, the same again, or something twice. Default `once`. */
export type Effect = 'none' | 'idempotent' | 'once';

/** An effect as it counts: what nobody knows may not happen twice. */
export function knownEffect(effect: string): Effect {
  return effect === 'none' || effect === 'idempotent' ? effect : 'once';
}

/** A call of a tool that asks, or that is asked about. */
export interface ToolSource {
  readonly type: 'tool';
  readonly ref: ToolRef;
  readonly name: string;
  /** The exact input that runs if the call is approved as shown (G12). */
  readonly input: JsonValue;
  /** `tool`: the tool's own body asked. `approval`: the gate in front of it asked; the body has not run. */
  readonly raisedBy: 'tool' | 'approval' | 'engine';
  /** The call in one line, in the words of its tool; text from outside. Absent where the tool has none of its own. */
  readonly title?: string;
}

/** A node that asks, with the moment at which it does. */
export interface NodeSource {
  readonly type: 'node';
  readonly nodeId: string;
  readonly visit: number;
  /** `run`: the node's body asked, or nobody knows how it ended. */
  readonly phase: 'before' | 'run' | 'after';
  /** `healthy#2`: the operation of a workflow's code that asks. */
  readonly operation?: string;
  /** The name of the event from outside that answers it. */
  readonly event?: string;
  /** No person is asked: time answers it, or the event. Absent: a question, or what an older version asked. */
  readonly wait?: 'timer' | 'event';
}

/** The run itself: a limit that was reached, a pause that someone asked for. */
export interface RunSource {
  readonly type: 'run';
}

/** The thing that asks: a call of a tool, a node, or the run itself. */
export type InterruptSource = ToolSource | NodeSource | RunSource;

/** The things that an answer holds for beside what is shown (G11). */
export interface Binding {
  /** The session, or the conversation, that asks. */
  readonly run: string;
  /** `schemaDigest` of the tool that is asked about; an approval is void for another one. Empty: no tool, or one that is gone. */
  readonly tool: string;
  /** The code that a yes would run: `Tool.code`, or that of the workflow. Absent where nobody says which it is. */
  readonly code?: string;
}

/** The people whose word a question takes, and how many of them must say the same. */
export interface ApprovalPolicy {
  /** The number of people who must give the same answer. Default 1. */
  readonly need?: number;
  /**
   * Names of people, `ann`, or of one issuer’s, `https://id.example.org/ann`, and of groups, `@ops`. Default: anybody
   * who may answer in this store.
   */
  readonly from?: readonly string[];
  /**
   * The people who asked for it approve nothing. `false`: not even those who asked by an API are left out, who are by
   * default.
   */
  readonly notRequester?: boolean;
  /**
   * The doors whose people are counted, and counted together: `local`, `tokens`, `slack`, or one issuer, such as
   * `https://id.example.org`. Default: any one door, as nothing says that two do not vouch for the same person.
   */
  readonly issuers?: readonly string[];
  /**
   * The member of the answer in which they must agree, such as `decision`: a note beside it may differ, and the answer is
   * that of the last of them. Default: the whole answer.
   */
  readonly over?: string;
  /** One of those asked who says this, as that member or as the whole answer, decides at once. Default: nobody does. */
  readonly veto?: string | number | boolean;
}

/** A person as votes are counted. */
export interface Subject {
  /** Empty: nobody vouches for the name. */
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
}

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

/** A point at which a run waits for a person; plain JSON, and complete: nothing else is needed to ask. */
export interface Interrupt {
  readonly id: InterruptId;
  readonly kind: InterruptKind;
  readonly source: InterruptSource;
  readonly path: NodePath;
  /** The words of the raiser; `true` where it said nothing. Text in it is the raiser's, not ours. */
  readonly payload: JsonValue;
  /** JSON Schema of the output that `respond` must fit. */
  readonly answerSchema?: JsonObject;
  /** The value that the body which asked wants back: `respond` goes to it then, and it runs on. Shown to nobody. */
  readonly kept?: JsonValue;
  /**
   * The body of the call waits for the answer while it runs. Only the process that runs it can ask and answer; when the
   * call is over, the question is withdrawn. Absent: the call waits, and not its body.
   */
  readonly atOnce?: true;
  readonly allowed: readonly ResolutionAction[];
  /**
   * Narrows `restart`: `required` runs the call with another input only, `refused` as it is shown only. Absent: both.
   */
  readonly edit?: 'required' | 'refused';
  /** JSON Schema of the input that an edit must fit; absent where the call cannot run by an answer. */
  readonly inputSchema?: JsonObject;
  /** JSON Schema of what a `restart` passes on, as its `metadata`; absent where the tool says nothing of it. */
  readonly resumeSchema?: JsonObject;
  /** Fingerprint of what is shown; a resolution that carries another one is refused (G11). 64 hex digits. */
  readonly digest: string;
  /** In the digest too; absent in what older versions asked, and in what graphs ask. */
  readonly bound?: Binding;
  /** ISO 8601. A label: order comes from the journal (G25). */
  readonly raisedAt: string;
  /** ISO 8601: when nobody may answer any more, and `onTimeout` comes of it. Not in the digest. */
  readonly expiresAt?: string;
  /** In the digest too. Default, where it expires: `reject`. */
  readonly onTimeout?: OnTimeout;
  /** The time for which a yes counts, in milliseconds; in the digest too. Absent: until `expiresAt`, or for ever. */
  readonly approvalLastsMs?: number;
  /** The people whose word it takes, and how many; in the digest too. Absent: one, and anybody. */
  readonly approvers?: ApprovalPolicy;
  /** The person who wrote the input that is asked about, by an edit: they do not approve it. In the digest too. */
  readonly proposed?: { readonly by: Subject };
  /** The question that this one took the place of; in the digest too. */
  readonly escalated?: EscalatedFrom;
}

/** An interrupt before it has an id and a digest. */
export type InterruptDraft = Omit<Interrupt, 'id' | 'digest' | 'raisedAt' | 'allowed' | 'path'> & {
  readonly allowed?: readonly ResolutionAction[];
  /** The time for an answer, from when it is asked; in the place of `expiresAt`. */
  readonly timeoutMs?: number;
};

/** An interrupt as others may see it: without what its body keeps for itself. */
export function withoutKept(interrupt: Interrupt): Interrupt {
  const { kept: _kept, ...shown } = interrupt;
  return shown;
}

/** The operation at which the code does not do what the journal says, where an interrupt asks about one. */
export function differingOperation({ kind, source, payload }: Interrupt): string | undefined {
  if (kind !== 'error' || source.type !== 'node' || !isJsonObject(payload)) return undefined;
  return payload['code'] === 'NONDETERMINISM' ? source.operation : undefined;
}

/** Whether an interrupt tells that code does not do what its journal says. */
export function isDifference(interrupt: Interrupt): boolean {
  return differingOperation(interrupt) !== undefined;
}

/** Whether an interrupt tells that code does not come to what its journal has. */
export function isOfLeft(interrupt: Interrupt): boolean {
  return isDifference(interrupt) && membersOf(interrupt.payload)['left'] !== undefined;
}

/** Which limit was reached: `turns`, `cost`, `time`, `iterations`. */
export function limitOf({ payload }: Interrupt): string {
  const limit = isJsonObject(payload) ? payload['limit'] : undefined;
  return typeof limit === 'string' ? limit : 'unknown';
}
