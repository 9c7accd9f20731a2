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

/**
 * The session from which a session was created. Approvals given in the parent are void in the new session.
 */
export interface SessionParent {
  readonly session?: SessionId;
  readonly seq?: number;
  readonly kind: 'fork' | 'import';
  /** Set if part of the adopted history does not have this store's seal. */
  readonly foreign?: true;
}

/** Why a run ended. */
export type RunEnd =
  /** The model finished. */
  | { readonly type: 'done' }
  /** A tool ended the run and provided its output, or a stop condition was met. */
  | { readonly type: 'finished'; readonly output?: JsonValue; readonly by: string }
  /** A person stopped the run. `partial` is text that was shown but is not part of the history (G20). */
  | { readonly type: 'aborted'; readonly partial?: string }
  | { readonly type: 'failed'; readonly error: ErrorRecord; readonly partial?: string }
  /** A limit was reached, and the user did not extend it. */
  | { readonly type: 'limit'; readonly limit: string };

/** The last record that the store knows of, if the session ends before that record or has a different one. */
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

/** Why a message never reached its run. */
export type InboxDrop = 'expired' | 'removed' | 'run-ended';

/** The outcome of a delivered message. */
export type InboxOutcome =
  | { readonly type: 'applied' }
  | { readonly type: 'refused'; readonly why: string }
  /**
   * The process ended between delivery and effect. The message has no effect and is not delivered again
   * (Q-13).
   */
  | { readonly type: 'lost' };

/** An event about an external message. It belongs to the session, regardless of its scope. */
export type InboxEvent =
  /** Recorded before the message takes effect, which happens at most once. */
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
  /** Recorded in the same batch as the effect, or after it. */
  | { readonly type: 'inbox-settled'; readonly id: string; readonly outcome: InboxOutcome }
  /** A model interpreted a message and chose an action (N-8). */
  | {
      readonly type: 'action-chosen';
      /** The message's id. */
      readonly message: string;
      readonly choice: ActionChoice;
      readonly model: string;
      /** Number of requests to the model; may be 0. */
      readonly attempts: number;
      readonly usage?: Usage;
    };

/**
 * Why a file was not copied: it may contain a secret, it is too large, the session's copies are too large in
 * total, or the copy could not be stored.
 */
export type UnkeptFile = 'secret' | 'large' | 'full' | 'failed';

/**
 * The state of a file before a change. `copied`: the store has a copy with this digest. `mode`: the file's
 * permissions. `folders`: the permissions of the parent folders that may be removed with the file, nearest
 * first.
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

/** A graph event, recorded at the scope of its graph. */
export type GraphEvent =
  | {
      readonly type: 'graph-started';
      readonly name: string;
      readonly hash: string;
      readonly start: string;
      readonly seed: number;
      readonly maxIterations: number;
      /** `inherit`: the graph starts with the current state of the enclosing graph. `set` overrides it. */
      readonly inherit: boolean;
      readonly set: JsonObject;
      /** Reducers for edits made by people. Other keys are overwritten. */
      readonly reducers: Readonly<Record<string, BuiltinReducer>>;
      readonly before: GatePoints;
      readonly after: GatePoints;
      /** Operations in the graph's code before which the run stops; absent if there are none. */
      readonly gates?: OperationGates;
      /**
       * Names of the nodes to which messages can be addressed; absent in a nested graph and in older
       * sessions.
       */
      readonly nodes?: readonly string[];
      /** The definition used by the run; absent in a single-node branch and in older sessions. */
      readonly outline?: GraphOutline;
    }
  /**
   * The graph continues with a changed definition. `by`: a person who saw the difference, or a rule if the
   * new definition only adds to the old one.
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
      /** Keys of recorded operations that the current code may omit. */
      readonly passed?: readonly string[];
      readonly by: Actor;
    }
  /**
   * Recorded before the node does anything (C-16). `edge`: the edge that led to the node. `drew`: whether
   * that edge was chosen at random.
   */
  | (AtNode & { readonly type: 'node-entered'; readonly edge?: number; readonly drew?: boolean })
  | (AtNode & {
      readonly type: 'node-started';
      readonly attempt: number;
      readonly effect: Effect;
      readonly startedAt: string;
      /** Identifier of the running code, if known. */
      readonly code?: string;
    })
  | (AtNode & {
      readonly type: 'node-settled';
      readonly output?: JsonValue;
      /** The state changes after reducers were applied. */
      readonly changes: StateChanges;
      /** The node's patch, if reducers changed it. */
      readonly patch?: StateChanges;
    })
  | (AtNode & { readonly type: 'node-failed'; readonly error: ErrorRecord })
  | StepEvent
  | OperationEvent
  /** A condition could not be evaluated, so its edge did not match (C-6). */
  | (AtNode & { readonly type: 'edge-failed'; readonly to: string; readonly message: string })
  /** Branches wrote different values to the same key (P-6). */
  | (AtNode & {
      readonly type: 'conflict-found';
      readonly key: string;
      readonly branches: readonly string[];
      readonly taken?: string;
    })
  /** The run went back to the point before an activation (C-40). */
  | (AtNode & {
      readonly type: 'rewound';
      /** If set, the run goes back only to the point before this operation. */
      readonly operation?: string;
      /**
       * A result that a person provided for the operation, so that it does not run again. Later operations
       * do.
       */
      readonly given?: { readonly output: JsonValue };
      /** Who made the run go back; absent if unknown. */
      readonly by?: Actor;
    })
  /** A run that had stopped, failed or been cancelled is continued. */
  | { readonly type: 'run-continued' };

/** A session event without its scope. */
type EventBody =
  | GraphEvent
  | InboxEvent
  | {
      readonly type: 'session-created';
      readonly agent: AgentFingerprint;
      readonly title?: string;
      readonly cwd?: string;
      readonly parent?: SessionParent;
      /** Who requested the session's work. */
      readonly by?: Actor;
    }
  /**
   * A process opened the session for writing. Epochs count from 1, and a new epoch excludes older writers
   * (G24). `seal` is the writer's MAC over the history so far. If it is absent, earlier approvals are
   * unverified.
   */
  | {
      readonly type: 'session-opened';
      readonly epoch: number;
      readonly pid: number;
      readonly host: string;
      readonly seal?: string;
      /** Version of the voting rules in effect: `LAW`. If absent, version 1. */
      readonly law?: number;
      /** User ID of the owner of the session's files; absent if there are no files. */
      readonly owner?: number;
    }
  /**
   * Voids unused approvals, because the history comes from elsewhere or part of it is missing. With `past`, a
   * writer adopts the current state of a history that this store did not seal. `past` is the digest of that
   * history and binds this record to it.
   */
  | {
      readonly type: 'approvals-voided';
      readonly past?: string;
      /**
       * The session's last record when this store last closed it. That record, and possibly others, are
       * missing.
       */
      readonly lost?: LostRecords;
      /** Set if the store was restored from a backup. */
      readonly restored?: true;
    }
  /**
   * A person allowed approvals for one version of the code to apply to another version. Each approval still
   * covers only its own start.
   */
  | {
      readonly type: 'approvals-kept';
      readonly kept: readonly KeptCode[];
      readonly by: Actor;
    }
  /**
   * Messages from the closed turns of the transcript from which the session was created. They are adopted
   * unchanged and include tool messages.
   */
  | { readonly type: 'history-imported'; readonly messages: readonly Message[] }
  /** `changed`: changes that MCP servers made to their tool lists during a run, one line per change. */
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
  /** A request was sent to the model. If no reply follows, the call is repeated as the next attempt (P3). */
  | { readonly type: 'model-started'; readonly attempt: number }
  /** Recorded before the tool has any effect (G9). */
  | {
      readonly type: 'tool-started';
      readonly ref: ToolRef;
      readonly name: string;
      readonly attempt: number;
      readonly input: JsonValue;
      readonly effect: Effect;
      readonly idempotencyKey: string;
      readonly startedAt: string;
      /** The tool's one-line title for the call. */
      readonly title?: string;
      /** `planDigest` of the approved call; absent if it was not approved. */
      readonly plan?: string;
      /** Identifier of the code that runs: `Tool.code`. */
      readonly code?: string;
    }
  | { readonly type: 'tool-settled'; readonly ref: ToolRef; readonly outcome: ToolOutcome }
  /** A file is about to change. The event is stored durably before the change. */
  | {
      readonly type: 'file-noted';
      /** The call that changes it; absent if a person is restoring files. */
      readonly ref?: ToolRef;
      /** Absolute, without links. */
      readonly path: string;
      readonly before: FileBefore;
      /**
       * SHA-256 of the file after the change; `null` if the file is removed. Absent if the new content may
       * contain a secret.
       */
      readonly after?: string | null;
      /** The person who is restoring the file. */
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
      /**
       * Time by which the approved work must start (ISO 8601). After it, the question is asked again. If
       * absent, there is no limit.
       */
      readonly validUntil?: string;
      /** JSON pointers to the masked secrets in the resolution. Their values are not stored. */
      readonly secrets?: readonly string[];
      /**
       * The votes that decided a question with several approvers. They include the last one, which is
       * recorded in the same append.
       */
      readonly votes?: readonly Vote[];
      /** Idempotency key of the submitted answer. It shows the sender that the answer was used. */
      readonly receipt?: string;
      /**
       * Rows that had not been shown when the user chose to approve without seeing them. If absent,
       * everything was shown.
       */
      readonly unread?: Unread;
      /**
       * Set if the answer does not approve anything but edits an input that others must approve. The question
       * is then asked again.
       */
      readonly proposal?: true;
    }
  /** A vote on a question that needs several. Only each voter's latest vote counts until the decision. */
  | ({ readonly type: 'vote-cast'; readonly id: InterruptId; readonly digest: string } & Vote)
  /** A reviewer was asked about a call's open question before a person was. */
  | ({ readonly type: 'reviewed' } & Review)
  /** A question expired and was escalated. `interrupt` replaces it. */
  | { readonly type: 'interrupt-escalated'; readonly id: InterruptId; readonly interrupt: Interrupt }
  | { readonly type: 'rule-added'; readonly rule: Omit<SessionRule, 'grant'>; readonly by: Actor }
  /** A tool's approvals for the session were revoked. Its calls require approval again. */
  | { readonly type: 'rule-removed'; readonly tool: string; readonly by: Actor }
  /**
   * From this event on, the model receives a summary instead of the first `to` messages. The summary was made
   * from the previous summary and the messages after number `from`. The messages stay in the journal.
   */
  | {
      readonly type: 'context-compacted';
      readonly from: number;
      readonly to: number;
      /** Text written by a model. */
      readonly summary: string;
      /** People's decisions in the summarized part, one per line. */
      readonly decisions: readonly string[];
      readonly usage?: Usage;
    }
  /** The conversation continues after its first `keep` messages. */
  | { readonly type: 'history-rewound'; readonly keep: number }
  | { readonly type: 'run-ended'; readonly reason: RunEnd };

/**
 * Every durable event of a session. Each type is named with a noun and a past participle. `scope` is the path
 * of a graph node; it is absent or `''` in the session's own run.
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
  /**
   * Set if the event does not have this store's seal; absent if it is sealed or the store does not have a
   * key.
   */
  readonly foreign?: true;
}
