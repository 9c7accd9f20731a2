import type { AgentFingerprint } from '../question/agent.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { SessionEvent, SessionParent } from '../state/event.js';
import type { SessionId } from '../data/ids.js';
import type { Interrupt, InterruptKind } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { SessionStatus } from '../ports/store.js';
import type { TransientEvent } from '../ports/renderer.js';
import type { Vote } from '../question/standing-votes.js';
import type { Actor, Resolution } from '../data/resolution.js';
import type { TranscriptMessage } from './transcript.js';
import type { Refusal, ReplyEnd, Unfinished, Usage } from '../data/finish-reason.js';

/**
 * How a command that ran a session ended. `interrupted`: at least one interrupt is open. `refused`, `cut` and
 * `context-full`: the model did not finish its last reply.
 */
export type ResultStatus = 'done' | 'interrupted' | 'failed' | 'limit' | 'cancelled' | Unfinished;

/** How a model's last reply ended, with details from the provider if the model refused. */
export interface LastReply extends Refusal {
  readonly reason: ReplyEnd;
}

/** The document that `--output-format json` prints when a command ends. */
export interface ResultDocument {
  readonly session: SessionId;
  readonly status: ResultStatus;
  /** The model's final text in the latest turn; empty if there is none yet. */
  readonly text: string;
  /** The reply as a value that matches the requested schema. */
  readonly output?: JsonValue;
  /** How the last reply ended; absent unless the last message is from the model. */
  readonly end?: LastReply;
  readonly messages: readonly TranscriptMessage[];
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /** Usage in the whole session. */
  readonly usage: Usage;
  /** Cost of the whole session in US dollars; `null` if the model's price is unknown. */
  readonly costUsd: number | null;
  readonly error?: ErrorRecord;
  /** The command line that continues the session. */
  readonly resume: string;
}

/** JSON output of a command that failed before its session existed. */
export interface ErrorDocument {
  readonly error: ErrorRecord;
}

/** One line of `--output-format stream-json`. */
export type StreamEvent =
  /** A durable event. `seq` is its number in the journal, and `at` is its time in ISO 8601. */
  | ({ readonly session: SessionId; readonly seq: number; readonly at?: string } & SessionEvent)
  | ({ readonly session: SessionId } & TransientEvent)
  /** A message about the run from hitl itself. */
  | { readonly session: SessionId; readonly type: 'notice'; readonly text: string }
  /** The last line. */
  | ({ readonly type: 'result' } & ResultDocument);

/** How a chat or workflow stopped. `text` is the model's last text since the last user message. */
export type RunResult =
  /** `output` is set only for a workflow. */
  | { readonly type: 'done'; readonly text: string; readonly output?: JsonValue }
  /** A tool ended the run and provided its output, or a stop condition was met. */
  | { readonly type: 'finished'; readonly text: string; readonly by: string; readonly output?: JsonValue }
  /** Questions are waiting for answers. */
  | { readonly type: 'waiting'; readonly text: string; readonly open: readonly Interrupt[] }
  /** A limit was reached and was not extended. */
  | { readonly type: 'limit'; readonly text: string; readonly limit: string };

/** An event of a watched session. A run ends with `rested`. */
export type LiveEvent =
  | Exclude<StreamEvent, { readonly type: 'result' }>
  | { readonly session: SessionId; readonly type: 'rested'; readonly result: RunResult };

/** A server-sent event: a session event or, at the end, the error that ended the stream. */
export type WireEvent = LiveEvent | { readonly type: 'failed'; readonly error: ErrorRecord };

/** An interrupt in a transcript, with its decision, if any. */
export interface TranscriptInterrupt extends Interrupt {
  readonly resolution?: Resolution;
  readonly by?: Actor;
  /** ISO 8601. */
  readonly resolvedAt?: string;
  /** The votes that decided, if the question needed several. */
  readonly votes?: readonly Vote[];
}

/** The contents of `transcript.json`: a session as one document, for people and for `hitl import`. */
export interface TranscriptDocument {
  readonly format: 'hitl-transcript';
  readonly version: 1;
  readonly id: SessionId;
  readonly title: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** The session's agent; absent if the session never had one. */
  readonly agent?: AgentFingerprint;
  readonly status: Exclude<SessionStatus, 'running' | 'unreadable'>;
  readonly messages: readonly TranscriptMessage[];
  /** Answered interrupts first, in the order they were answered, followed by open ones. */
  readonly interrupts: readonly TranscriptInterrupt[];
  readonly usage: Usage;
  readonly parent?: SessionParent;
}

/**
 * Selects the interrupts to which an entry of an answers file applies. All specified properties must match.
 */
export interface AnswerMatch {
  readonly tool?: string;
  readonly kind?: InterruptKind;
  /** Interrupt id or a prefix of it. */
  readonly interrupt?: string;
  /** Session id or a prefix of it. */
  readonly session?: string;
  /** Properties that the input must contain. Lists and scalars must be equal. */
  readonly input?: JsonValue;
  /** Position, counted from 1, among the interrupts that match the other properties. */
  readonly nth?: number;
}

/** An entry of an answers file: an answer, or a rule that allows calls without asking. */
export type AnswersEntry =
  | {
      readonly match: AnswerMatch;
      /** A resolution, or an answer as the user would type it. */
      readonly answer: Resolution | string;
      /** Number of times that the entry can be used. Default: 1. */
      readonly times?: number | 'any';
    }
  /** A rule in the syntax of `hitl rules add allow`: `run_command npm test`. */
  | { readonly allow: string };
