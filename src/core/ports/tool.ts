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

/** A valid value, or the problems found. */
export type ParseResult =
  | { readonly ok: true; readonly value: JsonValue }
  /** The problems, one line each, with the location of the value: `amount: expected number`. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** The validated context of a request, which need not be JSON, or the problems found. */
export type ContextResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] };

/**
 * Details of a call that have been resolved, such as the absolute path, the host or the working directory.
 */
export type Facts = Readonly<Record<string, string>>;

/** A tool's request for approval. */
export interface ApprovalRequest extends Approvable {
  /** The tool's reason for asking. */
  readonly reason?: string;
  readonly facts?: Facts;
  /** A unified diff of the change. */
  readonly diff?: string;
  readonly warnings?: readonly string[];
  /** Rules that an approval creates. Ignored unless they come from the built-in `request_grant` tool. */
  readonly grants?: JsonObject;
  /** The time limit. Default: none. A timeout never approves: a `value` is treated as `reject`. */
  readonly deadline?: Deadline;
  /**
   * The permitted actions. For example, with `['edit', 'reject']` the call can run only with a changed input.
   * Default: all.
   */
  readonly allowed?: readonly AnswerWay[];
}

/** The context passed to a tool body in addition to its input. */
export interface ToolContext extends CallScene {
  /** Aborts when a person stops the run or the tool's time limit is reached. */
  readonly signal: AbortSignal;
  /**
   * A key that is the same for every attempt of a call. Pass it to services that detect repeated requests.
   */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Present after an approval: the metadata provided with it, or `true` if there was none. */
  readonly resumed?: JsonValue;
  /** Present after an edit: the original input. */
  readonly originalInput?: JsonValue;
  /** The approval; absent if no question was asked. */
  readonly approved?: ApprovedCall;
  /**
   * Asks a question while the body keeps running. The question is stored before it is asked. If absent,
   * questions cannot be stored.
   * @throws HitlError ABORTED if the call is over.
   */
  readonly askAtOnce?: (payload: JsonValue, answerSchema: JsonObject) => Promise<AskedAtOnce>;
  /**
   * Stores the current state of a file durably, before the body changes the file. From then on, even a call
   * declared to have no effect is treated as having one. Returns false without storing anything if `undoable`
   * is set and the change could not be undone. If absent, file states are not stored.
   * @throws HitlError ABORTED if the call is over.
   */
  readonly noteFile?: (file: NotedFile) => Promise<boolean>;
  /** Stops this call until a person answers. A `try/catch` around it cannot prevent this. */
  interrupt(payload?: JsonValue, options?: InterruptOptions): never;
  /** Shows a progress line. It is not stored. */
  progress(text: string): void;
}

/**
 * Maximum size, in bytes, of a file that is copied before it is changed. A larger file is changed without a
 * copy.
 */
export const MOST_COPIED = 5 * 1024 * 1024;

/** A file that a tool body is about to change. */
export interface NotedFile {
  /** Absolute, without links. */
  readonly path: string;
  /** The content and permissions of the file, or the reason that it cannot be copied. */
  readonly before:
    | {
        readonly bytes: Uint8Array;
        readonly mode: number;
        /**
         * Permissions of the parent folders that may be removed together with the file, nearest first.
         * Default: no folders are removed.
         */
        readonly folders?: readonly number[];
      }
    | 'absent'
    | UnkeptFile;
  /** The file's new content. `null` if the file is removed; absent if the content may contain a secret. */
  readonly after?: string | Uint8Array | null;
  /**
   * Set if the file may be changed only if the change can be undone. For that, a copy must be stored and the
   * new content must be known.
   */
  readonly undoable?: true;
}

/** A stored question from a running body. Its answer is stored before the body receives it. */
export interface AskedAtOnce {
  readonly interrupt: Interrupt;
  /** Stores a person's answer. @throws HitlError ABORTED if the call is over. */
  answered(resolution: Resolution, by: Actor): Promise<void>;
}

/** A call's approval, for comparison with the current details. */
export interface ApprovedCall {
  /** Payload of the answered interrupt: the details and the diff that were shown. */
  readonly shown: JsonValue;
  /** Whether the approver changed the input. If so, `shown` describes the original input. */
  readonly edited: boolean;
  /** The approval's metadata, for hooks and the body; absent if there was none. */
  readonly metadata?: JsonValue;
}

/** A multipart tool's result. */
export interface ToolResult {
  readonly output: JsonValue;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** A tool that a model can call. */
export interface Tool extends ToolDescriptor {
  /** Whether the body returns a `ToolResult` instead of an output. Default false. */
  readonly multipart?: boolean;
  /** Whether the run ends with this tool's output. Default false. */
  readonly endsRun?: boolean;
  /** The body's time limit in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /**
   * Validates an input on its own. Put checks that depend on files or other external state in `problem`. For
   * an MCP tool, the signal ends the wait for the server's list of tools.
   */
  parseInput(input: JsonValue, signal?: AbortSignal): ParseResult | Promise<ParseResult>;
  /**
   * Returns the reason that a call with a valid input cannot succeed in the current situation, or `undefined`
   * if there is none. The model receives the reason before anyone is asked. Because the reason may reveal
   * file contents, rules are checked first. Default: no problem is reported.
   */
  problem?(input: JsonValue, signal: AbortSignal): string | undefined | Promise<string | undefined>;
  /** Validates an output, whether returned by the tool or entered by a person. */
  parseOutput(output: JsonValue): ParseResult | Promise<ParseResult>;
  /**
   * Validates the metadata of an approval for a body that asked. The metadata is `true` if none was provided.
   * Default: all metadata is valid.
   */
  parseResumed?(passedOn: JsonValue): ParseResult | Promise<ParseResult>;
  /**
   * Validates the `context` of a request before anything runs. The result is passed to the body and to the
   * approval check. Default: every context is valid.
   */
  parseContext?(context: unknown): ContextResult;
  /** JSON Schema of an approval's metadata, which also marks secrets. Default: the question's schema. */
  readonly resumeSchema?: JsonObject;
  /**
   * Returns the approval request if a person must approve this input before the body runs; otherwise
   * `undefined`. If it throws, approval is required (G35).
   */
  approval?(
    input: JsonValue,
    signal: AbortSignal,
    call: CallScene,
  ): ApprovalRequest | undefined | Promise<ApprovalRequest | undefined>;
  /**
   * Whether `approval` asks for approval of every input. Shown in tool lists. Default: it asks only for some
   * inputs.
   */
  readonly asksAlways?: boolean;
  /** Describes a call in one line. If it returns `undefined` or throws, the name and input are used. */
  title?(input: JsonValue): string | undefined | Promise<string | undefined>;
  /**
   * Resolves the details of a call, for example the real path or the host. Rules use these details even if
   * the tool does not ask for approval. If its approval request has details of its own, rules use those
   * instead.
   */
  facts?(input: JsonValue, signal: AbortSignal): Facts | Promise<Facts>;
  /**
   * Returns the effect of running this call again, if it is weaker than the tool's `effect`. If this throws
   * or returns any other value, `effect` applies.
   */
  effectOf?(input: JsonValue, signal: AbortSignal): Effect | Promise<Effect>;
  /**
   * Returns the reason that a rule forbids this call, which is shown to the person. An approval cannot
   * override it.
   */
  forbids?(input: JsonValue, facts?: CallFacts): string | undefined;
  execute(input: JsonValue, context: ToolContext): Promise<JsonValue | ToolResult>;
}

/** A collection of tools that can be looked up by name. Inherited property names do not match any tool. */
export interface ToolSet extends Iterable<Tool> {
  get(name: string): Tool | undefined;
  readonly descriptors: readonly ToolDescriptor[];
}

/**
 * Creates a set of tools. `descriptors` is the list of tools as the model sees it. Default: the tools' own
 * descriptors.
 */
export function toolSetOf(tools: Iterable<Tool>, descriptors?: readonly ToolDescriptor[]): ToolSet {
  const byName = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  return {
    get: (name) => byName.get(name),
    descriptors: descriptors ?? [...byName.values()],
    [Symbol.iterator]: () => byName.values(),
  };
}
