import type { ToolDescriptor } from '../question/agent.js';
import type { CallScene } from '../state/call.js';
import type { UnkeptFile } from '../state/event.js';
import type { Deadline } from '../question/deadline.js';
import type { Effect, Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Part } from '../data/message.js';
import type { Approvable } from '../question/approvers.js';
import type { Actor, AnswerWay, Resolution } from '../data/resolution.js';
import type { CallFacts } from '../question/call-facts.js';
import type { InterruptOptions } from '../question/interrupt-signal.js';

/** A valid value, or the problems. */
export type ParseResult =
  | { readonly ok: true; readonly value: JsonValue }
  /** One line per issue, with its location: `amount: expected number`. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** A request's valid context, which need not be JSON, or the problems. */
export type ContextResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Resolved details of a call: absolute path, host, working directory. */
export type Facts = Readonly<Record<string, string>>;

/** A tool's request for approval. */
export interface ApprovalRequest extends Approvable {
  /** The tool's reason for asking. */
  readonly reason?: string;
  readonly facts?: Facts;
  /** A unified diff of the change. */
  readonly diff?: string;
  readonly warnings?: readonly string[];
  /** Rules that an approval creates; only those of the built-in `request_grant` apply. */
  readonly grants?: JsonObject;
  /** The time limit. Default: none. It never approves: a `value` is a `reject`. */
  readonly deadline?: Deadline;
  /** The permitted actions: `['edit', 'reject']` runs the call with another input only. Default: all. */
  readonly allowed?: readonly AnswerWay[];
}

/** The context of a tool body, in addition to its input. */
export interface ToolContext extends CallScene {
  /** Aborts when the person stops the run or the tool's time limit ends. */
  readonly signal: AbortSignal;
  /** The same for every attempt of a call; pass it to services that detect repeats. */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Present after an approval: the passed metadata, or `true`. */
  readonly resumed?: JsonValue;
  /** Present after an edit: the previous input. */
  readonly originalInput?: JsonValue;
  /** The approval; absent if no question was asked. */
  readonly approved?: ApprovedCall;
  /**
   * Stores a question that the body asks while running, before asking it. Absent: questions cannot be stored.
   * @throws HitlError ABORTED if the call is over.
   */
  readonly askAtOnce?: (payload: JsonValue, answerSchema: JsonObject) => Promise<AskedAtOnce>;
  /**
   * Stores a file's current state durably, before the body changes it. Absent: nothing is stored. From then on, a
   * call without an effect has one. Returns false and stores nothing if `undoable` is set and the change could not be
   * undone.
   * @throws HitlError ABORTED if the call is over.
   */
  readonly noteFile?: (file: NotedFile) => Promise<boolean>;
  /** Stops this call until a person answers. A `try/catch` around it does not catch it. */
  interrupt(payload?: JsonValue, options?: InterruptOptions): never;
  /** Shows a progress line, which is not stored. */
  progress(text: string): void;
}

/** Bytes of a file of which a copy is kept before it changes; a larger one changes without. */
export const MOST_COPIED = 5 * 1024 * 1024;

/** A file that a body is about to change. */
export interface NotedFile {
  /** Absolute, without links. */
  readonly path: string;
  /** Its content and permissions, or why no copy is possible. */
  readonly before:
    | {
        readonly bytes: Uint8Array;
        readonly mode: number;
        /** Permissions of the parent folders that may be removed with it, nearest first. Default: none are removed. */
        readonly folders?: readonly number[];
      }
    | 'absent'
    | UnkeptFile;
  /** Its next content; `null` if it is removed; absent if that may contain a secret. */
  readonly after?: string | Uint8Array | null;
  /** Change it only if that can be undone: a copy of it is stored, and its next content is known. */
  readonly undoable?: true;
}

/** A stored question of a running body; its answer is stored before the body gets it. */
export interface AskedAtOnce {
  readonly interrupt: Interrupt;
  /** Stores a person's answer. @throws HitlError ABORTED if the call is over. */
  answered(resolution: Resolution, by: Actor): Promise<void>;
}

/** The approval of a call, to compare with the current details. */
export interface ApprovedCall {
  /** Payload of the answered interrupt: facts and diff as shown. */
  readonly shown: JsonValue;
  /** The approver changed the input, so `shown` describes another one. */
  readonly edited: boolean;
  /** Metadata of the approval, for hooks and the body; absent if there was none. */
  readonly metadata?: JsonValue;
}

/** The result of a multipart tool. */
export interface ToolResult {
  readonly output: JsonValue;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** A tool that a model may call. */
export interface Tool extends ToolDescriptor {
  /** The body returns a `ToolResult` instead of an output. Default false. */
  readonly multipart?: boolean;
  /** The run ends with this tool's output. Default false. */
  readonly endsRun?: boolean;
  /** Time limit of the body in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /**
   * Validates an input on its own. Checks that depend on files or on anything else outside belong in `problem`. The
   * signal ends a wait, for example for a server's list of tools.
   */
  parseInput(input: JsonValue, signal?: AbortSignal): ParseResult | Promise<ParseResult>;
  /**
   * Returns why a call with a valid input cannot work in the current situation; the model gets it before anyone is
   * asked. It may reveal what a file contains, so rules are checked first. Default: no known problem.
   */
  problem?(input: JsonValue, signal: AbortSignal): string | undefined | Promise<string | undefined>;
  /** Validates the tool's output, and a typed result. */
  parseOutput(output: JsonValue): ParseResult | Promise<ParseResult>;
  /**
   * Validates the metadata of an approval for an asking body, `true` if there is none. Default: anything is
   * valid.
   */
  parseResumed?(passedOn: JsonValue): ParseResult | Promise<ParseResult>;
  /**
   * Validates a request's `context` before anything runs; body and approval check get the result. Default:
   * anything is valid.
   */
  parseContext?(context: unknown): ContextResult;
  /** JSON Schema of an approval's metadata; marks secrets. Default: the question's. */
  readonly resumeSchema?: JsonObject;
  /** Returns whether a person must approve this input, before the body runs. A throw means yes (G35). */
  approval?(
    input: JsonValue,
    signal: AbortSignal,
    call: CallScene,
  ): ApprovalRequest | undefined | Promise<ApprovalRequest | undefined>;
  /** Whether `approval` asks for every input, for lists of tools. Default: for some only. */
  readonly asksAlways?: boolean;
  /** Describes a call in one line; on `undefined` or a throw, name and input are used. */
  title?(input: JsonValue): string | undefined | Promise<string | undefined>;
  /**
   * Resolves a call's details: real path, host. Rules use them, even if the tool does not ask, unless its request has
   * its own.
   */
  facts?(input: JsonValue, signal: AbortSignal): Facts | Promise<Facts>;
  /** Effect of a second run of one call, if less than `effect`; on a throw, or any other value, `effect` applies. */
  effectOf?(input: JsonValue, signal: AbortSignal): Effect | Promise<Effect>;
  /** Returns why a rule forbids this call, for the person; no approval overrides it. */
  forbids?(input: JsonValue, facts?: CallFacts): string | undefined;
  execute(input: JsonValue, context: ToolContext): Promise<JsonValue | ToolResult>;
}

/** Tools by name; inherited properties are never found. */
export interface ToolSet extends Iterable<Tool> {
  get(name: string): Tool | undefined;
  readonly descriptors: readonly ToolDescriptor[];
}

/** Creates a set of tools; `descriptors` are what a model sees. Default: the tools' own. */
export function toolSetOf(tools: Iterable<Tool>, descriptors?: readonly ToolDescriptor[]): ToolSet {
  const byName = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  return {
    get: (name) => byName.get(name),
    descriptors: descriptors ?? [...byName.values()],
    [Symbol.iterator]: () => byName.values(),
  };
}
