import type { ToolDescriptor } from '../question/agent.js';
import type { CallScene } from '../state/call.js';
import type { Deadline } from '../question/deadline.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Part } from '../data/message.js';
import type { Approvable } from '../question/approvers.js';
import type { Actor, AnswerWay, Resolution } from '../data/resolution.js';
import type { CallFacts } from '../question/call-facts.js';
import type { InterruptOptions } from '../question/interrupt-signal.js';

/** A checked value, or what does not fit. */
export type ParseResult =
  | { readonly ok: true; readonly value: JsonValue }
  /** One line an issue, with the place: `amount: expected number`. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** The checked context of a request, which need not be JSON, or what does not fit. */
export type ContextResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly string[] };

/** Resolved facts of a call: absolute path, host, working directory. */
export type Facts = Readonly<Record<string, string>>;

/** The things that the gate in front of a tool wants the person to know; facts are the product's own words. */
export interface ApprovalRequest extends Approvable {
  /** The reason why it asks; shown as the tool's words. */
  readonly reason?: string;
  readonly facts?: Facts;
  /** A unified diff of what would change. */
  readonly diff?: string;
  readonly warnings?: readonly string[];
  /** The time that people have. Default: no end. It approves nothing: a `value` is a `reject`. */
  readonly deadline?: Deadline;
  /** The ways in which it may be answered: `['edit', 'reject']` runs the call with another input only. Default: all. */
  readonly allowed?: readonly AnswerWay[];
}

/** The context that a tool's body is given beside its input. */
export interface ToolContext extends CallScene {
  /** Aborts when the person stops the run or the tool's time is up. */
  readonly signal: AbortSignal;
  /** The same for every attempt of one call; pass it on to services that can tell a repeat. */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Present in a run that a human restarted: what the restart passed on, `true` where it passed nothing. */
  readonly resumed?: JsonValue;
  /** Present where a human edited the input: what it was before. */
  readonly originalInput?: JsonValue;
  /** The approval of a person; absent where nobody was asked. */
  readonly approved?: ApprovedCall;
  /**
   * Keeps a question that the body asks a person while it runs, before they are asked. Absent: nobody keeps what it asks.
   * @throws HitlError ABORTED where the call is over.
   */
  readonly askAtOnce?: (payload: JsonValue, answerSchema: JsonObject) => Promise<AskedAtOnce>;
  /** Stops this call until a person has answered. A `try/catch` around it does not swallow it. */
  interrupt(payload?: JsonValue, options?: InterruptOptions): never;
  /** Shows a line of progress; it is not kept. */
  progress(text: string): void;
}

/** A question that a body asks while it runs: durable, as its answer is before the body has it. */
export interface AskedAtOnce {
  readonly interrupt: Interrupt;
  /** Keeps what a person said. @throws HitlError ABORTED where the call is over. */
  answered(resolution: Resolution, by: Actor): Promise<void>;
}

/** The approval of a call, as its body may compare it with what it finds. */
export interface ApprovedCall {
  /** The payload of the interrupt that was answered: facts and diff as they were shown. */
  readonly shown: JsonValue;
  /** The person changed the input, so `shown` tells of another one. */
  readonly edited: boolean;
  /** The value that the approval passed on, for hooks and for the body; absent where it passed nothing on. */
  readonly metadata?: JsonValue;
}

/** The value that a multipart tool returns. */
export interface ToolResult {
  readonly output: JsonValue;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** A tool that a model may call. */
export interface Tool extends ToolDescriptor {
  /** The body returns a `ToolResult` instead of a bare output. Default false. */
  readonly multipart?: boolean;
  /** The run ends with this tool's output. Default false. */
  readonly endsRun?: boolean;
  /** The time that the body may take, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  parseInput(input: JsonValue): ParseResult | Promise<ParseResult>;
  /** Checks the tool's own output and an output that a human gives in its place. */
  parseOutput(output: JsonValue): ParseResult | Promise<ParseResult>;
  /** Checks what a restart passes on to a body that asked, `true` where it passes nothing on. Default: anything goes. */
  parseResumed?(passedOn: JsonValue): ParseResult | Promise<ParseResult>;
  /**
   * Checks the `context` of a request, before anything of it runs; the body and the gate get what it gives. Default:
   * anything goes.
   */
  parseContext?(context: unknown): ContextResult;
  /** JSON Schema of what a restart passes on; it says which of that is a secret. Default: what the question says. */
  readonly resumeSchema?: JsonObject;
  /** Whether a person must approve this input first; asked before the body runs. A throw counts as yes (G35). */
  approval?(
    input: JsonValue,
    signal: AbortSignal,
    call: CallScene,
  ): ApprovalRequest | undefined | Promise<ApprovalRequest | undefined>;
  /** True where `approval` asks about every input: a list of tools says so. Default: for some inputs only. */
  readonly asksAlways?: boolean;
  /** Says what a call does, in one line for a person; `undefined`, or a throw, leaves it to the name and the input. */
  title?(input: JsonValue): string | undefined | Promise<string | undefined>;
  /**
   * Finds what a call is about, resolved: real path, host. Rules are decided on it, also where the tool does not ask.
   */
  facts?(input: JsonValue, signal: AbortSignal): Facts | Promise<Facts>;
  /** The reason why a rule forbids this call, in words for the person; nobody's approval counts against it. */
  forbids?(input: JsonValue, facts?: CallFacts): string | undefined;
  execute(input: JsonValue, context: ToolContext): Promise<JsonValue | ToolResult>;
}

/** Tools by name; a look-up never finds an inherited member. */
export interface ToolSet extends Iterable<Tool> {
  get(name: string): Tool | undefined;
  readonly descriptors: readonly ToolDescriptor[];
}
