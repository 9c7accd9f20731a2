import type { AgentFingerprint } from '../question/agent.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Refusal, ReplyEnd, Usage } from '../data/finish-reason.js';
import type { InterruptId, NodePath, SessionId, ToolRef } from '../data/ids.js';
import type { Effect, Interrupt } from '../data/interrupt.js';
import type { JsonValue, JsonObject } from '../data/json.js';
import type { Message } from '../data/message.js';
import type { ToolOutcome } from './outcome.js';
import type { Actor, Resolution, Unread } from '../data/resolution.js';
import type { Review } from '../data/review.js';
import type { SessionRule } from '../question/session-scope.js';
import type { Vote } from '../question/standing-votes.js';
import type { ActionChoice, InboxItem, SafePoint } from './inbox-item.js';
import type { GraphOutline } from '../data/outline.js';
import type { OperationEvent, StepEvent, OperationGates } from './operation.js';
import type { GatePoints } from './frame.js';
import type { BuiltinReducer, StateChanges } from './graph-state.js';

/** The origin of a session. Approvals of the parent are void in it. */
export interface SessionParent {
  readonly session?: SessionId;
  readonly seq?: number;
  readonly kind: 'fork' | 'import';
  /** A part of the adopted history lacks the store's seal. */
  readonly foreign?: true;
}

/** Why a run ended. */
export type RunEnd =
  /** The model was done. */
  | { readonly type: 'done' }
  /** A tool ended the run with its output, or a stop condition held. */
  | { readonly type: 'finished'; readonly output?: JsonValue; readonly by: string }
  /** A person stopped it; `partial` is text that was shown and is not history (G20). */
  | { readonly type: 'aborted'; readonly partial?: string }
  | { readonly type: 'failed'; readonly error: ErrorRecord; readonly partial?: string }
  /** A limit was reached and the person did not extend it. */
  | { readonly type: 'limit'; readonly limit: string };

/** The last record known to the store, if the session ends earlier or differs there. */
export interface LostRecords {
  readonly seq: number;
  readonly mac: string;
  /** Minimum number of missing records. */
  readonly count: number;
}

/** The code for which an approval was given, and the code to which it now applies. */
export interface KeptCode {
  readonly was: string;
  readonly now: string;
}

/** Why a message never reached the run. */
export type InboxDrop = 'expired' | 'removed' | 'run-ended';

/** The outcome of a delivered message. */
export type InboxOutcome =
  | { readonly type: 'applied' }
  | { readonly type: 'refused'; readonly why: string }
  /** The process ended between delivery and effect: the message has none, and never will. */
  | { readonly type: 'lost' };

/** An event of an outside message. It belongs to the session, at any scope. */
export type InboxEvent =
  /** Precedes the effect, which happens at most once. */
  | {
      readonly type: 'inbox-delivered';
      readonly item: InboxItem;
      readonly point: SafePoint;
      readonly deliveredAt: string;
    }
  | {
      readonly type: 'inbox-dropped';
      readonly id: string;
      readonly seq: number;
      readonly why: InboxDrop;
      readonly droppedAt: string;
    }
  /** In one batch with the effect, or after it. */
  | { readonly type: 'inbox-settled'; readonly id: string; readonly outcome: InboxOutcome }
  /** A model interpreted a message (N-8). */
  | {
      readonly type: 'action-chosen';
      /** The message's id. */
      readonly message: string;
      readonly choice: ActionChoice;
      readonly model: string;
      /** Number of model requests; 0 if there were none. */
      readonly attempts: number;
      readonly usage?: Usage;
    };

/**
 * Why there is no copy of a file: it may contain a secret, it or all copies of the session are too large, or the copy
 * could not be stored.
 */
export type UnkeptFile = 'secret' | 'large' | 'full' | 'failed';

/**
 * A file before a change. `copied`: the store has a copy with this digest; `mode`: its permissions; `folders`: those
 * of the parent folders that may be removed with it, nearest first.
 */
export type FileBefore =
  | {
      readonly type: 'copied';
      readonly sha256: string;
      readonly bytes: number;
      readonly mode: number;
      readonly folders?: readonly number[];
    }
  | { readonly type: 'absent' }
  | { readonly type: 'unkept'; readonly why: UnkeptFile };

interface AtNode {
  readonly node: string;
  readonly visit: number;
}

/** An event of a graph, at its graph's scope. */
export type GraphEvent =
  | {
      readonly type: 'graph-started';
      readonly name: string;
      readonly hash: string;
      readonly start: string;
      readonly seed: number;
      readonly maxIterations: number;
      /** `inherit`: the current state of the enclosing graph. `set` overrides it. */
      readonly inherit: boolean;
      readonly set: JsonObject;
      /** For people's edits; other keys are overwritten. */
      readonly reducers: Readonly<Record<string, BuiltinReducer>>;
      readonly before: GatePoints;
      readonly after: GatePoints;
      /** Operations of its code before which it stops; absent if there are none. */
      readonly gates?: OperationGates;
      /** The names that a message may address; absent inside another graph and in older sessions. */
      readonly nodes?: readonly string[];
      /** The definition that it runs; absent in a branch of one node and in older sessions. */
      readonly outline?: GraphOutline;
    }
  /**
   * It continues with another definition: `by` a person who saw the difference, or a rule if it only adds.
   */
  | {
      readonly type: 'graph-migrated';
      readonly hash: string;
      readonly outline: GraphOutline;
      readonly before: GatePoints;
      readonly after: GatePoints;
      readonly reducers: Readonly<Record<string, BuiltinReducer>>;
      readonly gates?: OperationGates;
      readonly nodes?: readonly string[];
      /** Keys of operations that the current code may omit. */
      readonly passed?: readonly string[];
      readonly by: Actor;
    }
  /** `edge` led here, with `drew` if it was random; recorded before the node does anything (C-16). */
  | (AtNode & { readonly type: 'node-entered'; readonly edge?: number; readonly drew?: boolean })
  | (AtNode & {
      readonly type: 'node-started';
      readonly attempt: number;
      readonly effect: Effect;
      readonly startedAt: string;
      /** Identifies the running code, if known. */
      readonly code?: string;
    })
  | (AtNode & {
      readonly type: 'node-settled';
      readonly output?: JsonValue;
      /** The state changes after reducers. */
      readonly changes: StateChanges;
      /** The node's patch, if reducers changed it. */
      readonly patch?: StateChanges;
    })
  | (AtNode & { readonly type: 'node-failed'; readonly error: ErrorRecord })
  | StepEvent
  | OperationEvent
  /** A condition could not be evaluated: its edge did not match (C-6). */
  | (AtNode & { readonly type: 'edge-failed'; readonly to: string; readonly message: string })
  /** Branches wrote different values (P-6). */
  | (AtNode & {
      readonly type: 'conflict-found';
      readonly key: string;
      readonly branches: readonly string[];
      readonly taken?: string;
    })
  /** Back to just before an activation ran (C-40). */
  | (AtNode & {
      readonly type: 'rewound';
      /** Goes back to just before this operation only. */
      readonly operation?: string;
      /** A person's result for that operation, which does not run again. Later operations do. */
      readonly given?: { readonly output: JsonValue };
      /** The actor; absent if unknown. */
      readonly by?: Actor;
    })
  /** A run that was stopped, failed or cancelled is continued. */
  | { readonly type: 'run-continued' };

/** An event of a session, without its path. */
type EventBody =
  | GraphEvent
  | InboxEvent
  | {
      readonly type: 'session-created';
      readonly agent: AgentFingerprint;
      readonly title?: string;
      readonly cwd?: string;
      readonly parent?: SessionParent;
      /** Requester of the session's work. */
      readonly by?: Actor;
    }
  /**
   * A writer took the session; epochs count from 1 and exclude older writers (G24). `seal` is the writer's
   * MAC over the history so far: without it, earlier approvals are unverified.
   */
  | {
      readonly type: 'session-opened';
      readonly epoch: number;
      readonly pid: number;
      readonly host: string;
      readonly seal?: string;
      /** Version of the voting rules that it follows: `LAW`. Absent: the first. */
      readonly law?: number;
      /** User ID of the owner of the session's files; absent without files. */
      readonly owner?: number;
    }
  /**
   * Voids unused approvals: the history came from elsewhere, or part of it is missing. With `past`, a writer
   * adopts a foreign history in its current state: a digest of it, to which this record is bound.
   */
  | {
      readonly type: 'approvals-voided';
      readonly past?: string;
      /** The session's last record when it was last closed here: it, and possibly others, are missing. */
      readonly lost?: LostRecords;
      /** The store was restored from a backup. */
      readonly restored?: true;
    }
  /** A person let existing approvals for one code apply to another, each for its start. */
  | {
      readonly type: 'approvals-kept';
      readonly kept: readonly KeptCode[];
      readonly by: Actor;
    }
  /**
   * Closed messages of the transcript from which a session was created; adopted unchanged, including tool
   * messages.
   */
  | { readonly type: 'history-imported'; readonly messages: readonly Message[] }
  /** `changed`: MCP servers changed their tool lists during a run; one line per difference. */
  | {
      readonly type: 'agent-changed';
      readonly agent: AgentFingerprint;
      readonly changed?: readonly string[];
    }
  | {
      readonly type: 'message-added';
      readonly message: Message;
      readonly usage?: Usage;
      readonly end?: ReplyEnd;
      readonly refusal?: Refusal;
      /** The author of a user message. */
      readonly by?: Actor;
    }
  /** A request went to the model; without a reply after it, the call is repeated as the next attempt (P3). */
  | { readonly type: 'model-started'; readonly attempt: number }
  /** Intent before effect (G9). */
  | {
      readonly type: 'tool-started';
      readonly ref: ToolRef;
      readonly name: string;
      readonly attempt: number;
      readonly input: JsonValue;
      readonly effect: Effect;
      readonly idempotencyKey: string;
      readonly startedAt: string;
      /** The tool's one-line title of the call. */
      readonly title?: string;
      /** `planDigest` of what runs, if it was approved. */
      readonly plan?: string;
      /** `Tool.code`: the code that runs. */
      readonly code?: string;
    }
  | { readonly type: 'tool-settled'; readonly ref: ToolRef; readonly outcome: ToolOutcome }
  /** A file is about to change; this event is durable before the change. */
  | {
      readonly type: 'file-noted';
      /** The call that changes it; absent if a person restores files. */
      readonly ref?: ToolRef;
      /** Absolute, without links. */
      readonly path: string;
      readonly before: FileBefore;
      /** SHA-256 after the change; `null` if the file is removed. Absent if the new content may contain a secret. */
      readonly after?: string | null;
      /** The person who restores it. */
      readonly by?: Actor;
    }
  | { readonly type: 'interrupt-raised'; readonly interrupt: Interrupt }
  | {
      readonly type: 'interrupt-resolved';
      readonly id: InterruptId;
      readonly digest: string;
      readonly resolution: Resolution;
      readonly by: Actor;
      readonly resolvedAt: string;
      /** ISO 8601: approved work starts by then, or asks again. Absent: no limit. */
      readonly validUntil?: string;
      /**
       * Paths of typed secrets, as JSON pointers into the resolution, which has masks there; values are not
       * stored.
       */
      readonly secrets?: readonly string[];
      /** For a question with several approvers: the deciding votes, the last of them in the same append. */
      readonly votes?: readonly Vote[];
      /** Idempotency key of a posted answer; shows its sender that it was used. */
      readonly receipt?: string;
      /** The rows that were not shown when the person deliberately approved. Absent: everything was shown. */
      readonly unread?: Unread;
      /** It approves nothing: somebody edited an input that others must approve, and the question is asked again. */
      readonly proposal?: true;
    }
  /** A vote on a question that needs several. Each subject's latest counts until the decision. */
  | ({ readonly type: 'vote-cast'; readonly id: InterruptId; readonly digest: string } & Vote)
  /** A reviewer was asked about an open question of a call, before a person. */
  | ({ readonly type: 'reviewed' } & Review)
  /** A question expired and escalates: `interrupt` replaces it. */
  | { readonly type: 'interrupt-escalated'; readonly id: InterruptId; readonly interrupt: Interrupt }
  | { readonly type: 'rule-added'; readonly rule: Omit<SessionRule, 'grant'>; readonly by: Actor }
  /** A tool's approvals for the session end: it asks again. */
  | { readonly type: 'rule-removed'; readonly tool: string; readonly by: Actor }
  /**
   * From here on, the model gets the messages from the first `from` to the first `to` as a summary, together
   * with the previous one. They stay in the journal.
   */
  | {
      readonly type: 'context-compacted';
      readonly from: number;
      readonly to: number;
      /** Text written by a model. */
      readonly summary: string;
      /** The decisions of people in the summarized part, a line each. */
      readonly decisions: readonly string[];
      readonly usage?: Usage;
    }
  /** The conversation continues after its first `keep` messages. */
  | { readonly type: 'history-rewound'; readonly keep: number }
  | { readonly type: 'run-ended'; readonly reason: RunEnd };

/**
 * Everything durable that can happen in a session: noun, then past participle. `scope` is absent or `''` in
 * the session's own run, otherwise the node of its graph.
 */
export type SessionEvent = EventBody & { readonly scope?: NodePath };

export type SessionEventType = SessionEvent['type'];

/** A journal line. `seq` counts from 1; `at` is informational (G25). */
export interface StoredEvent {
  readonly v: 2;
  readonly seq: number;
  readonly at: string;
  readonly scope: NodePath;
  readonly event: SessionEvent;
  /** It lacks the store's seal; absent if sealed, or if the store has no key. */
  readonly foreign?: true;
}
