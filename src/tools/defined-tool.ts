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

/** The second argument of a tool's body, with types from the tool's schemas. */
export interface TypedToolContext<Input, Payload, Resume, Context = unknown> extends Omit<
  ToolContext,
  'interrupt' | 'originalInput' | 'resumed' | 'context'
> {
  /** The `context` of the request, validated with the tool's schema. */
  readonly context: Context;
  /**
   * Value passed with the approval; present only after an approval. Without metadata, it is `true`, or `{}`
   * if the resume schema requires an object.
   */
  readonly resumed?: Resume;
  /** The input before the user edited it. Present only after an edit. */
  readonly originalInput?: Input;
  /** Stops this call until a person answers. Write `return context.interrupt(…)`; a `try/catch` does not catch it. */
  interrupt(...args: InterruptArguments<Payload>): never;
}

/** The return type of a body. Without an output schema, a body may return nothing. */
type Returned<Output> = MaybePromise<Output> | (undefined extends Output ? Promise<void> : never);

/** The return value of a multipart body. */
export interface MultipartResult<Output> {
  readonly output: Output;
  readonly content?: readonly Part[];
  readonly metadata?: JsonObject;
}

/** The context of a call, with the validated `context` of the request. */
export interface TypedCallScene<Context = unknown> extends Omit<CallScene, 'context'> {
  readonly context: Context;
}

/** The function that runs a tool. If it returns nothing, the model receives `null`. */
export type ToolBody<Input, Output, Payload, Resume, Multipart extends boolean, Context = unknown> = (
  input: Input,
  context: TypedToolContext<Input, Payload, Resume, Context>,
) => Multipart extends true ? MaybePromise<MultipartResult<Output>> : Returned<Output>;

/** The definition of a tool. Schemas are zod 4 schemas or JSON Schema objects. */
export interface ToolDefinition<
  Input,
  Output,
  Payload,
  Resume,
  Multipart extends boolean,
  Context = unknown,
  Ends extends boolean = boolean,
> {
  /**
   * Name of the tool: `^[a-zA-Z0-9_-]{1,64}$`. It may have a namespace prefix, which the model does not see:
   * `bank/transfer_money`.
   */
  readonly name: string;
  /** Description that tells the model when and how to use the tool. */
  readonly description: string;
  /** Schema for the input. Default: an object without properties. */
  readonly input?: Schema<Input>;
  /** Schema for the output, which the body returns or a person provides. Default: any JSON. */
  readonly output?: Schema<unknown, Output>;
  /** Schema for the argument of `context.interrupt`. Default: any JSON, or nothing. */
  readonly interrupt?: Schema<unknown, Payload>;
  /** Schema for the metadata of an approval. Default: any JSON. */
  readonly resume?: Schema<Resume>;
  /**
   * zod schema for the `context` of a request. A request whose context is invalid is refused. Default: any
   * context.
   */
  readonly context?: z.$ZodType<Context>;
  /** What happens if the tool runs a second time. Default: `once`, so the user is asked after a crash. */
  readonly effect?: Effect;
  /**
   * Returns the effect of running one call a second time, if it is less severe than `effect`. Default:
   * `effect`, which also applies if this function throws.
   */
  readonly effectOf?: (input: Input, signal: AbortSignal) => MaybePromise<Effect>;
  /**
   * Returns a one-line description of a call, such as `Transfer 200 to ABC123`. Default: the name and the
   * input.
   */
  readonly title?: (input: Input) => string;
  /**
   * How a person edits a call: which property comes first, and in which form. Default: a form with all
   * properties.
   */
  readonly editing?: EditForm;
  /**
   * Whether a reviewer may approve a call before a person is asked. Default: false, so only a person may
   * approve.
   */
  readonly reviewable?: boolean;
  /** Whether a person must approve before the body runs. Default: false. */
  readonly needsApproval?:
    | boolean
    | ((input: Input, call: TypedCallScene<NoInfer<Context>>) => MaybePromise<boolean>);
  /**
   * Like `needsApproval`, but returns the details to show in the question, or `undefined` if no approval is
   * needed.
   */
  readonly approval?: (
    input: Input,
    signal: AbortSignal,
    call: TypedCallScene<NoInfer<Context>>,
  ) => MaybePromise<ApprovalRequest | undefined>;
  /** Time limit for the approval, unless `approval` sets one. A timeout never approves. Default: none. */
  readonly deadline?: Deadline;
  /**
   * How long an approval is valid after the answer, for example `15m`. After that, hitl asks again. If the
   * deadline also sets a limit, the shorter one applies. Default: until the deadline, or without limit.
   */
  readonly approvalLasts?: string;
  /**
   * Required approvers, unless `approval` sets them. If set, neither rules nor scripts can approve. Default:
   * one approver, who may be anyone.
   */
  readonly approvers?: ApprovalPolicy;
  /**
   * The allowed actions. For example, with `['edit', 'reject']`, the tool runs only with an edited input.
   * Default: all actions.
   */
  readonly allowed?: readonly AnswerWay[];
  /**
   * Returns the resolved details of a call, such as `path` and `host`. Rules match them unless the approval
   * request has its own details.
   */
  readonly facts?: (input: Input, signal: AbortSignal) => MaybePromise<Facts>;
  /**
   * Returns the reason that a call cannot succeed in the current situation. The model receives it before
   * anyone is asked. Rules that deny the call, or that deny reading its file, are checked first. Default: no
   * reason.
   */
  readonly problem?: (input: Input, signal: AbortSignal) => MaybePromise<string | undefined>;
  /** Time limit in milliseconds, after which the signal aborts. Default: no limit. */
  readonly timeoutMs?: number;
  /** Whether the body returns `{ output, content?, metadata? }`. Default: false. */
  readonly multipart?: Multipart;
  /** Whether the run ends with this tool's output. Default: false. */
  readonly endsRun?: Ends;
  /** The source of the tool, as displayed. Default: `library`. */
  readonly origin?: string;
  /**
   * Version of the body, for tools that are passed as values. An approval applies to one version only.
   * Default: unknown, so an approval applies to any body. Tools from a module use the content of the module
   * instead.
   */
  readonly version?: string;
}

interface TypedRestartOptions<Input, Resume> extends AnswerOptions {
  /** Input to use instead of the one that was shown. Default: the input that was shown. */
  readonly input?: Input;
  /** Value passed to the tool as `context.resumed`. Default: `true`. */
  readonly metadata?: Resume;
  /** Note for the model, which receives it after the results of its calls. */
  readonly note?: string;
}

/** An interrupt of a tool, with its input typed. */
export type OwnInterrupt<Input> = Interrupt & {
  readonly source: { readonly type: 'tool'; readonly input: Input };
};

/** A tool that the engine can run, with typed and validated answers to its interrupts. */
export interface DefinedTool<
  Input = JsonValue,
  Output = JsonValue,
  Resume = JsonValue,
  Ends extends boolean = boolean,
> extends Tool {
  readonly endsRun?: Ends;
  /** The name of the tool, including its namespace if it has one. */
  readonly qualifiedName: string;
  /** Whether an interrupt belongs to this tool, so that its `source.input` has the tool's type. */
  owns(interrupt: Interrupt): interrupt is OwnInterrupt<Input>;
  /**
   * Creates an answer that provides the result.
   * @throws HitlError BAD_ANSWER if the interrupt belongs to another tool or does not allow `respond`,
   * TOOL_INPUT for an invalid output.
   */
  respond(interrupt: Interrupt, output: Output, options?: RespondOptions): Answer;
  /**
   * Creates an answer that approves the call, optionally with a different input.
   * @throws HitlError BAD_ANSWER if the interrupt belongs to another tool or does not allow `restart`,
   * TOOL_INPUT for an invalid input or invalid metadata.
   */
  restart(interrupt: Interrupt, options?: TypedRestartOptions<Input, Resume>): Answer;
}
