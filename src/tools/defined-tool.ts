import type * as z from 'zod/v4/core';

import type {
  Answer,
  AnswerWay,
  ApprovalPolicy,
  ApprovalRequest,
  CallScene,
  Deadline,
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

/** The context that a tool's body is given beside its input, with the types of its schemas. */
export interface TypedToolContext<Input, Payload, Resume, Context = unknown> extends Omit<
  ToolContext,
  'interrupt' | 'originalInput' | 'resumed' | 'context'
> {
  /** The `context` of the request, checked by the tool's schema of it. */
  readonly context: Context;
  /**
   * Present in a run that a human restarted. A restart that passes nothing on gives `true`, or the empty object
   * where the resume schema takes that and not `true`.
   */
  readonly resumed?: Resume;
  /** Present where a human edited the input: what it was before. */
  readonly originalInput?: Input;
  /** Stops this call until a person has answered. Write `return context.interrupt(…)`; a `try/catch` does not swallow it. */
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

/** The surroundings of a call, with the checked `context` of the request. */
export interface TypedCallScene<Context = unknown> extends Omit<CallScene, 'context'> {
  readonly context: Context;
}

/** Does a tool's work. Returning nothing gives the model `null`. */
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
  /** `^[a-zA-Z0-9_-]{1,64}$`; a namespace may stand before it, which the model does not see: `bank/transfer_money`. */
  readonly name: string;
  /** Tells the model when and how to use it. */
  readonly description: string;
  /** Default: an object without members. */
  readonly input?: Schema<Input>;
  /** Checked after the body and when a human answers in the tool's place. Default: any JSON. */
  readonly output?: Schema<unknown, Output>;
  /** The schema of what `context.interrupt` takes. Default: any JSON, or nothing. */
  readonly interrupt?: Schema<unknown, Payload>;
  /** The schema of what a restart may pass on. Default: any JSON. */
  readonly resume?: Schema<Resume>;
  /** A zod schema of the `context` of a request. A request whose context does not fit is refused. Default: anything. */
  readonly context?: z.$ZodType<Context>;
  /** The effect of a second run. Default `once`: after a crash a person is asked. */
  readonly effect?: Effect;
  /** Says what a call does, in one line for a person: `Transfer 200 to ABC123`. Default: the name and the input. */
  readonly title?: (input: Input) => string;
  /** Whether a person must approve before the body runs. Default false. */
  readonly needsApproval?:
    boolean | ((input: Input, call: TypedCallScene<NoInfer<Context>>) => MaybePromise<boolean>);
  /** As `needsApproval`, telling the person what is known about the call; `undefined` asks nobody. */
  readonly approval?: (
    input: Input,
    signal: AbortSignal,
    call: TypedCallScene<NoInfer<Context>>,
  ) => MaybePromise<ApprovalRequest | undefined>;
  /** The time that people have for the approval, where `approval` says none. Default: no end. Time approves nothing. */
  readonly deadline?: Deadline;
  /**
   * The time for which an approval counts, from when it was given: `15m`. Later it is asked for again. Where the deadline
   * says another one, the shorter counts. Default: until the deadline, and without one for ever.
   */
  readonly approvalLasts?: string;
  /**
   * The people whose word the approval takes, and how many, where `approval` names none. No rule and no script approves
   * it then. Default: one, anybody.
   */
  readonly approvers?: ApprovalPolicy;
  /**
   * The ways in which its approval may be answered: `['edit', 'reject']` runs it with another input only. Default: all.
   */
  readonly allowed?: readonly AnswerWay[];
  /** Finds what a call is about, resolved: `path`, `host`. Rules are decided on it where the tool does not ask. */
  readonly facts?: (input: Input, signal: AbortSignal) => MaybePromise<Facts>;
  /** Milliseconds after which the run's signal aborts. Default: no limit of its own. */
  readonly timeoutMs?: number;
  /** The body returns `{ output, content?, metadata? }`. Default false. */
  readonly multipart?: Multipart;
  /** The run ends with this tool's output. Default false. */
  readonly endsRun?: Ends;
  /** The origin of the tool, as shown to people. Default `library`. */
  readonly origin?: string;
  /**
   * The version of what the body does, for programs that hand the tool over as a value: an approval is for one version.
   * Default: none is known, and an approval holds whatever the body is by then. A tool of a module needs none: the
   * content of the module counts.
   */
  readonly version?: string;
}

interface TypedRestartOptions<Input, Resume> extends AnswerOptions {
  /** Replaces the shown input. Default: the shown input. */
  readonly input?: Input;
  /** The value that the tool finds in `context.resumed`. Default `true`. */
  readonly metadata?: Resume;
}

/** An interrupt of one tool, with the input that the tool takes. */
export type OwnInterrupt<Input> = Interrupt & {
  readonly source: { readonly type: 'tool'; readonly input: Input };
};

/** A tool as the engine takes it, with checked and typed answers to its interrupts. */
export interface DefinedTool<
  Input = JsonValue,
  Output = JsonValue,
  Resume = JsonValue,
  Ends extends boolean = boolean,
> extends Tool {
  readonly endsRun?: Ends;
  /** The name with its namespace, where it has one. */
  readonly qualifiedName: string;
  /** True for an interrupt of this tool; its `source.input` then has the tool's type. */
  owns(interrupt: Interrupt): interrupt is OwnInterrupt<Input>;
  /**
   * Gives the output in the tool's place.
   * @throws HitlError BAD_ANSWER for an interrupt of another tool or one that cannot be responded to, TOOL_INPUT for an output that breaks the schema.
   */
  respond(interrupt: Interrupt, output: Output, options?: RespondOptions): Answer;
  /**
   * Agrees to run it, with another input where one is given.
   * @throws HitlError BAD_ANSWER for an interrupt of another tool or one that cannot be restarted, TOOL_INPUT for input or metadata that break a schema.
   */
  restart(interrupt: Interrupt, options?: TypedRestartOptions<Input, Resume>): Answer;
}
