import type * as z from 'zod/v4/core';

import type {
  Answer,
  AnswerWay,
  ApprovalPolicy,
  ApprovalRequest,
  CallScene,
  Deadline,
  EditForm,
  Effect,
  Facts,
  Interrupt,
  InterruptOptions,
  JsonObject,
  JsonValue,
  Part,
  Tool,
  ToolContext,
} from '../core/index.js';

import type { Schema } from './compile-schema.js';
import type { AnswerOptions, RespondOptions } from './resolutions.js';

type MaybePromise<Value> = Value | Promise<Value>;

type InterruptArguments<Payload> = undefined extends Payload
  ? [payload?: Payload, options?: InterruptOptions]
  : [payload: Payload, options?: InterruptOptions];

/** The context of a tool's body, in addition to its input, typed by its schemas. */
export interface TypedToolContext<Input, Payload, Resume, Context = unknown> extends Omit<
  ToolContext,
  'interrupt' | 'originalInput' | 'resumed' | 'context'
> {
  /** The request's `context`, validated by the tool's schema. */
  readonly context: Context;
  /** Present after an approval. Without metadata it is `true`, or `{}` if the resume schema requires an object. */
  readonly resumed?: Resume;
  /** Present after an edit: the previous input. */
  readonly originalInput?: Input;
  /** Stops this call until a person answers. Write `return context.interrupt(…)`; a `try/catch` does not catch it. */
  interrupt(...args: InterruptArguments<Payload>): never;
}

/** A body without an output schema may return nothing. */
type Returned<Output> = MaybePromise<Output> | (undefined extends Output ? Promise<void> : never);

/** The value that a multipart body returns. */
export interface MultipartResult<Output> {
  readonly output: Output;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** The context of a call, with the request's validated `context`. */
export interface TypedCallScene<Context = unknown> extends Omit<CallScene, 'context'> {
  readonly context: Context;
}

/** The body of a tool. If it returns nothing, the model gets `null`. */
export type ToolBody<Input, Output, Payload, Resume, Multipart extends boolean, Context = unknown> = (
  input: Input,
  context: TypedToolContext<Input, Payload, Resume, Context>,
) => Multipart extends true ? MaybePromise<MultipartResult<Output>> : Returned<Output>;

/** The definition of a tool. Schemas are zod 4 or JSON Schema objects. */
export interface ToolDefinition<
  Input,
  Output,
  Payload,
  Resume,
  Multipart extends boolean,
  Context = unknown,
  Ends extends boolean = boolean,
> {
  /** `^[a-zA-Z0-9_-]{1,64}$`, optionally after a namespace that the model does not see: `bank/transfer_money`. */
  readonly name: string;
  /** Tells the model when and how to use it. */
  readonly description: string;
  /** Default: an object without properties. */
  readonly input?: Schema<Input>;
  /** Validated after the body, and for a person's result. Default: any JSON. */
  readonly output?: Schema<unknown, Output>;
  /** Schema of the argument of `context.interrupt`. Default: any JSON, or nothing. */
  readonly interrupt?: Schema<unknown, Payload>;
  /** Schema of an approval's metadata. Default: any JSON. */
  readonly resume?: Schema<Resume>;
  /** A zod schema of a request's `context`; invalid requests are refused. Default: anything. */
  readonly context?: z.$ZodType<Context>;
  /** Effect of a second run. Default: `once`, so that after a crash a person is asked. */
  readonly effect?: Effect;
  /** Effect of a second run of one call, if it is less than `effect`. Default: `effect`, also if it throws. */
  readonly effectOf?: (input: Input, signal: AbortSignal) => MaybePromise<Effect>;
  /** Describes a call in one line: `Transfer 200 to ABC123`. Default: name and input. */
  readonly title?: (input: Input) => string;
  /** How a person edits a call: which property comes first, and in what form. Default: a form of all properties. */
  readonly editing?: EditForm;
  /** Whether a reviewer may approve a call before a person is asked. Default: only a person may. */
  readonly reviewable?: boolean;
  /** Whether a person must approve before the body runs. Default false. */
  readonly needsApproval?:
    | boolean
    | ((input: Input, call: TypedCallScene<NoInfer<Context>>) => MaybePromise<boolean>);
  /** Like `needsApproval`, with details for the person; `undefined` does not ask. */
  readonly approval?: (
    input: Input,
    signal: AbortSignal,
    call: TypedCallScene<NoInfer<Context>>,
  ) => MaybePromise<ApprovalRequest | undefined>;
  /** Time limit of the approval, unless `approval` sets one. Default: none. It never approves. */
  readonly deadline?: Deadline;
  /**
   * How long an approval is valid, counted from the answer: `15m`. After that hitl asks again. The shorter of
   * this and the deadline's applies. Default: until the deadline, or forever.
   */
  readonly approvalLasts?: string;
  /** Required approvers, unless `approval` sets them. No rule or script can approve it then. Default: one, anyone. */
  readonly approvers?: ApprovalPolicy;
  /** The permitted actions: `['edit', 'reject']` runs it with another input only. Default: all. */
  readonly allowed?: readonly AnswerWay[];
  /** Resolves a call's details: `path`, `host`. Rules use them unless the approval request has its own. */
  readonly facts?: (input: Input, signal: AbortSignal) => MaybePromise<Facts>;
  /**
   * Returns why a call cannot work in the current situation; the model gets it before anyone is asked. Rules that
   * deny the call, or reading its file, are checked first. Default: no known problem.
   */
  readonly problem?: (input: Input, signal: AbortSignal) => MaybePromise<string | undefined>;
  /** Milliseconds after which the signal aborts. Default: no limit. */
  readonly timeoutMs?: number;
  /** The body returns `{ output, content?, metadata? }`. Default false. */
  readonly multipart?: Multipart;
  /** The run ends with this tool's output. Default false. */
  readonly endsRun?: Ends;
  /** Source of the tool, as shown to people. Default `library`. */
  readonly origin?: string;
  /**
   * Version of the body, for tools passed as values: an approval is for one version. Default: unknown, and an
   * approval holds for any body. Tools of a module use the module's content.
   */
  readonly version?: string;
}

interface TypedRestartOptions<Input, Resume> extends AnswerOptions {
  /** Replaces the shown input. Default: the shown input. */
  readonly input?: Input;
  /** The value that the tool finds in `context.resumed`. Default `true`. */
  readonly metadata?: Resume;
  /** A note for the model, which gets it after the results of its calls. */
  readonly note?: string;
}

/** An interrupt of one tool, with its typed input. */
export type OwnInterrupt<Input> = Interrupt & {
  readonly source: { readonly type: 'tool'; readonly input: Input };
};

/** A tool for the engine, with validated and typed answers to its interrupts. */
export interface DefinedTool<
  Input = JsonValue,
  Output = JsonValue,
  Resume = JsonValue,
  Ends extends boolean = boolean,
> extends Tool {
  readonly endsRun?: Ends;
  /** The name with its namespace, if any. */
  readonly qualifiedName: string;
  /** Whether an interrupt belongs to this tool; then its `source.input` has the tool's type. */
  owns(interrupt: Interrupt): interrupt is OwnInterrupt<Input>;
  /**
   * Provides the result.
   * @throws HitlError BAD_ANSWER for another tool's interrupt or one without `respond`, TOOL_INPUT for an invalid
   * output.
   */
  respond(interrupt: Interrupt, output: Output, options?: RespondOptions): Answer;
  /**
   * Approves the call, optionally with another input.
   * @throws HitlError BAD_ANSWER for another tool's interrupt or one without `restart`, TOOL_INPUT for invalid input
   * or metadata.
   */
  restart(interrupt: Interrupt, options?: TypedRestartOptions<Input, Resume>): Answer;
}
