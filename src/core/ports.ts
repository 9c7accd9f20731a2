import type { AgentFingerprint, ToolDescriptor } from './agent.js';
import type { SessionEvent, StoredEvent, SessionParent } from './event.js';
import type { ReplyEnd } from './message/finish-reason.js';
import type { NodePath, SessionId, ToolRef } from './ids.js';
import type { Interrupt, InterruptKind } from './interrupt.js';
import type { JsonObject, JsonValue } from './json/json.js';
import type { Message } from './message/message.js';
import type { Part } from './message/part.js';
import type { Answer } from './resolution.js';
import type { Sequence } from './sequence.js';
import type { RunState } from './state.js';
import type { Usage } from './message/usage.js';

// --- models

export interface ModelRequest {
  readonly system?: string;
  /** Valid for a model API by construction (G19). Grows between requests; do not keep it, or copy it. */
  readonly messages: Sequence<Message>;
  readonly tools: readonly ToolDescriptor[];
  readonly maxOutputTokens?: number;
}

/** A model's whole reply; it exists only when its stream ended properly (G20). */
export interface ModelReply {
  /** Tool requests are present only under `end: 'tool-use'`. */
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  readonly usage?: Usage;
}

/** What a model's stream tells; the last event is `reply`, exactly once. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A tool input is being written; nothing of it may be shown for approval yet. */
  | { readonly type: 'tool-input-delta'; readonly name: string; readonly characters: number }
  /** The provider failed and is asked again after a pause. */
  | { readonly type: 'retrying'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** What was streamed so far does not count: the reply starts again. */
  | { readonly type: 'restarted' }
  | { readonly type: 'reply'; readonly reply: ModelReply };

export interface Model {
  /** `anthropic:<model>`, `demo`, `script:<file>`: what `--model` takes. */
  readonly id: string;
  /**
   * Asks for one reply.
   * @throws HitlError MODEL_FAILED with status, request id and what to do in its detail and hint.
   */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

// --- tools

export type ParseResult =
  | { readonly ok: true; readonly value: JsonValue }
  /** One line an issue, with the place: `amount: expected number`. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** What the gate in front of a tool wants the person to know; facts are the product's own words. */
export interface ApprovalRequest {
  /** Why it asks; shown as the tool's words. */
  readonly reason?: string;
  /** Resolved facts: absolute path, host, working directory. */
  readonly facts?: Readonly<Record<string, string>>;
  /** A unified diff of what would change. */
  readonly diff?: string;
  readonly warnings?: readonly string[];
}

/** What a tool's body is given beside its input. */
export interface ToolContext {
  /** Aborts when the person stops the run or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly ref: ToolRef;
  /** The same for every attempt of one call; pass it on to services that can tell a repeat. */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Present in a run that a human restarted: what the restart passed on, `true` where it passed nothing. */
  readonly resumed?: JsonValue;
  /** Present where a human edited the input: what it was before. */
  readonly originalInput?: JsonValue;
  /** What a person agreed to; absent where nobody was asked. */
  readonly approved?: ApprovedCall;
  /** Stops this call until a person has answered. A `try/catch` around it does not swallow it. */
  interrupt(payload?: JsonValue, options?: InterruptOptions): never;
  /** Shows a line of progress; it is not kept. */
  progress(text: string): void;
}

/** The approval of a call, as its body may compare it with what it finds. */
export interface ApprovedCall {
  /** The payload of the interrupt that was answered: facts and diff as they were shown. */
  readonly shown: JsonValue;
  /** The person changed the input, so `shown` tells of another one. */
  readonly edited: boolean;
}

export interface InterruptOptions {
  /** Default `confirmation`. */
  readonly kind?: InterruptKind;
  /** JSON Schema of what a `respond` must hold. Default: the tool's output schema. */
  readonly answerSchema?: JsonObject;
}

/** What a multipart tool returns. */
export interface ToolResult {
  readonly output: JsonValue;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

export interface Tool extends ToolDescriptor {
  /** The body returns a `ToolResult` instead of a bare output. Default false. */
  readonly multipart?: boolean;
  /** The run ends with this tool's output. Default false. */
  readonly endsRun?: boolean;
  readonly timeoutMs?: number;
  parseInput(input: JsonValue): ParseResult | Promise<ParseResult>;
  /** Checks the tool's own output and an output that a human gives in its place. */
  parseOutput(output: JsonValue): ParseResult | Promise<ParseResult>;
  /** Whether a person must approve this input first; asked before the body runs. A throw counts as yes (G35). */
  approval?(
    input: JsonValue,
    signal: AbortSignal,
  ): ApprovalRequest | undefined | Promise<ApprovalRequest | undefined>;
  /** Why a rule forbids this input, in words for the person; nobody's approval counts against it. */
  forbids?(input: JsonValue): string | undefined;
  execute(input: JsonValue, context: ToolContext): Promise<JsonValue | ToolResult>;
}

/** Tools by name; a look-up never finds an inherited member. */
export interface ToolSet extends Iterable<Tool> {
  get(name: string): Tool | undefined;
  readonly descriptors: readonly ToolDescriptor[];
}

// --- people

/** What a person or a script decided about one of the open interrupts, or that nobody did. */
export type AskResult =
  | { readonly type: 'answered'; readonly answer: Answer; readonly always?: boolean }
  /** Nobody answered: the interrupts stay open (law 6). */
  | { readonly type: 'left-open'; readonly why: string };

export interface HumanChannel {
  /** True where an answer that does not fit can be given again: a person sits there. Default false. */
  readonly interactive?: boolean;
  /**
   * Asks about the open interrupts, and returns with the first answer; the rest is asked again.
   * Aborting the signal withdraws the question: another process answered, or the person leaves.
   * @throws HitlError BAD_ANSWER where an answer does not fit; the interrupt stays open.
   */
  ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult>;
}

/** A user's turn, or the end of them. */
export type Turn =
  { readonly type: 'message'; readonly text: string } | { readonly type: 'end'; readonly why: string };

export interface TurnSource {
  /** Waits for the next user turn. Aborting the signal leaves what was not taken for the next call. */
  next(state: RunState, signal: AbortSignal): Promise<Turn>;
}

// --- showing

/** What happens without being kept: shown while it lasts. */
export type TransientEvent = (
  | Exclude<ModelEvent, { readonly type: 'reply' }>
  | { readonly type: 'tool-progress'; readonly ref: ToolRef; readonly name: string; readonly text: string }
) & {
  /** The node in which it happens; absent in a chat. */
  readonly scope?: NodePath;
};

export interface Renderer {
  /** Shows an event after it became durable. `state` is the fold up to and with it. */
  event(event: SessionEvent, seq: number, state: RunState): void;
  transient(event: TransientEvent): void;
  /** One line of the product's own words about the run: a repaired tail, a repeated model call. */
  notice(text: string): void;
  /** Takes spinner and status line off the screen, before something else writes to the terminal. */
  pause(): void;
  /** The run stopped: done, waiting, failed. Shows usage and cost of the turn. */
  stopped(state: RunState): void;
}

// --- sessions

export interface SessionInit {
  readonly agent: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  /** Default: a new, sortable id. */
  readonly id?: SessionId;
}

/** How events are appended. */
export interface AppendOptions {
  /**
   * The flush waits for the next append that wants one, and at most for the end of this turn of the event loop:
   * what becomes due together shares one. The events are written at once all the same. Default false.
   */
  readonly lazily?: boolean;
}

export interface Journal {
  /** Resolves when the events are durable; in order, all or a prefix of them. */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
}

/** An open session. A writer holds its lock until it is disposed of. */
export interface Session extends Journal, AsyncDisposable {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  /** The sequence number of the last event that was appended; it may not be durable yet. */
  readonly version: number;
  /** The fold of everything appended; what could not be made durable is taken back. */
  readonly state: RunState;
  /** What opening it had to mend or to say: a torn tail that was cut, a moved mode. */
  readonly notices: readonly string[];
  events(): AsyncIterable<StoredEvent>;
  /** Writes the transcript for people and other programs; called wherever a run stops. Absent where there is none. */
  saveTranscript?(): Promise<void>;
}

export type SessionStatus = 'done' | 'waiting' | 'interrupted' | 'failed' | 'running' | 'unreadable';

export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly status: SessionStatus;
  /** Open interrupts. */
  readonly waiting: number;
  /** User messages. */
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SessionStore {
  create(init: SessionInit): Promise<Session>;
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  open(id: SessionId, mode: 'read' | 'write'): Promise<Session>;
  /** Newest first. */
  list(): AsyncIterable<SessionSummary>;
  remove(id: SessionId): Promise<void>;
}

// --- time and names

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a while; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
