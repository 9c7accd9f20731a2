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
 * The end of a command that ran a session. `interrupted`: at least one interrupt is open; `refused`, `cut` and
 * `context-full`: the model did not finish its last reply.
 */
export type ResultStatus = 'done' | 'interrupted' | 'failed' | 'limit' | 'cancelled' | Unfinished;

/** End of a model's last reply, with the provider's refusal details. */
export interface LastReply extends Refusal {
  readonly reason: ReplyEnd;
}

/** The document that `--output-format json` prints when a command ends. */
export interface ResultDocument {
  readonly session: SessionId;
  readonly status: ResultStatus;
  /** Final model text of the latest turn; empty while there is none. */
  readonly text: string;
  /** Value of a reply that matches the requested schema. */
  readonly output?: JsonValue;
  /** Absent unless a model reply comes last. */
  readonly end?: LastReply;
  readonly messages: readonly TranscriptMessage[];
  /** The questions that wait for an answer. */
  readonly interrupts: readonly Interrupt[];
  /** For the whole session. */
  readonly usage: Usage;
  /** US dollars for the whole session; `null` if the model's price is unknown. */
  readonly costUsd: number | null;
  readonly error?: ErrorRecord;
  /** Command line to continue. */
  readonly resume: string;
}

/** JSON output of a command that failed before its session existed. */
export interface ErrorDocument {
  readonly error: ErrorRecord;
}

/** One line of `--output-format stream-json`. */
export type StreamEvent =
  /** Something durable. `seq` is its number in the journal; `at` is ISO 8601. */
  | ({ readonly session: SessionId; readonly seq: number; readonly at?: string } & SessionEvent)
  | ({ readonly session: SessionId } & TransientEvent)
  /** hitl's own message about the run. */
  | { readonly session: SessionId; readonly type: 'notice'; readonly text: string }
  /** The last line. */
  | ({ readonly type: 'result' } & ResultDocument);

/** How a chat or workflow stopped. `text` is the model's last text since the user's last message. */
export type RunResult =
  /** `output` of a workflow; a chat has none. */
  | { readonly type: 'done'; readonly text: string; readonly output?: JsonValue }
  /** A tool ended the run with its output, or a stop condition held. */
  | { readonly type: 'finished'; readonly text: string; readonly by: string; readonly output?: JsonValue }
  /** Questions wait for answers. */
  | { readonly type: 'waiting'; readonly text: string; readonly open: readonly Interrupt[] }
  /** A limit was reached and not extended. */
  | { readonly type: 'limit'; readonly text: string; readonly limit: string };

/** An event of a session that is being watched; `rested` is the last of a run. */
export type LiveEvent =
  | Exclude<StreamEvent, { readonly type: 'result' }>
  | { readonly session: SessionId; readonly type: 'rested'; readonly result: RunResult };

/** One server-sent event: a session event, or at the end why the stream stops. */
export type WireEvent = LiveEvent | { readonly type: 'failed'; readonly error: ErrorRecord };

/** An interrupt in a transcript, with its decision. */
export interface TranscriptInterrupt extends Interrupt {
  readonly resolution?: Resolution;
  readonly by?: Actor;
  /** ISO 8601. */
  readonly resolvedAt?: string;
  /** The deciding votes, if it needed several. */
  readonly votes?: readonly Vote[];
}

/** `transcript.json`: a session as one document for people and `hitl import`. */
export interface TranscriptDocument {
  readonly format: 'hitl-transcript';
  readonly version: 1;
  readonly id: SessionId;
  readonly title: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Absent if the session never had one. */
  readonly agent?: AgentFingerprint;
  readonly status: Exclude<SessionStatus, 'running' | 'unreadable'>;
  readonly messages: readonly TranscriptMessage[];
  /** Answered ones first, in answer order, then open ones. */
  readonly interrupts: readonly TranscriptInterrupt[];
  readonly usage: Usage;
  readonly parent?: SessionParent;
}

/** Selects interrupts for an answers-file entry; every given property must match. */
export interface AnswerMatch {
  readonly tool?: string;
  readonly kind?: InterruptKind;
  /** Id of the interrupt, or the start of it. */
  readonly interrupt?: string;
  /** Id of the session, or the start of it. */
  readonly session?: string;
  /** Properties that the input must have; lists and scalars must be equal. */
  readonly input?: JsonValue;
  /** Index, from 1, among the interrupts that match the rest. */
  readonly nth?: number;
}

/** One entry of an answers file: an answer, or a rule that prevents questions. */
export type AnswersEntry =
  | {
      readonly match: AnswerMatch;
      /** A resolution, or an answer line as a person would type it. */
      readonly answer: Resolution | string;
      /** How often it can be used. Default: 1. */
      readonly times?: number | 'any';
    }
  /** In the form of `hitl rules add allow`: `run_command npm test`. */
  | { readonly allow: string };
