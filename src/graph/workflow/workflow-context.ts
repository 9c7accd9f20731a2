import type {
  Duration,
  Interrupt,
  JsonObject,
  JsonValue,
  Model,
  TimeoutOutcome,
  Tool,
  ToolSet,
} from '../../core/index.js';
import type { Limits } from '../../engine/index.js';
import type { Graph, NodeQuestion } from '../definition/graph-definition.js';
import type { StepContext, StepOptions } from '../definition/code-operations.js';
import type { TypedSchema } from '../definition/node-schema.js';

/** A workflow's question, with a JSON Schema or without a schema. */
export type PlainQuestion = Omit<NodeQuestion, 'event' | 'wait'>;

/** A workflow's question with a schema that determines the answer's type. */
export interface TypedQuestion<Answer> extends Omit<PlainQuestion, 'schema'> {
  readonly schema: TypedSchema<Answer>;
}

/** Options for waiting for an external event. A schema determines the type of the event's data. */
export interface TypedEvent<Data> extends EventOptions {
  readonly schema: TypedSchema<Data>;
}

/** Options for waiting for an external event. */
export interface EventOptions {
  /** JSON Schema of the data. Default: any value. */
  readonly schema?: JsonObject | TypedSchema<unknown>;
  /** Text shown to a person who inspects the wait. */
  readonly prompt?: string;
  /** Maximum wait: a duration such as `90s` or `2h`, or a number of milliseconds. Default: no limit. */
  readonly timeout?: Duration;
  /** What happens at the timeout. Default: the result is `null`. */
  readonly onTimeout?: 'cancel' | Exclude<TimeoutOutcome, string>;
}

/** Options for a wait with a time limit. The wait returns `null` if no event arrives in time. */
export interface Bounded {
  readonly timeout: Duration;
  readonly onTimeout?: never;
}

/** A tool from `defineTool`, typed by its schemas. */
export interface TypedTool<Input, Output> extends Tool {
  respond(interrupt: Interrupt, output: Output): unknown;
  restart(interrupt: Interrupt, options?: { readonly input?: Input }): unknown;
}

/** A tool without type information. */
export type UntypedTool = Tool & { readonly respond?: never };

/** A graph without type information. */
export type UntypedGraph = Graph & { readonly types?: never };

/** A point in time: an ISO 8601 string or a `Date`. */
export type Moment = string | { readonly getTime: () => number };

/** Options for running an agent in a workflow. */
export interface AgentOptions {
  readonly prompt: string;
  /** Default: the run's model. */
  readonly model?: Model;
  /** Default: the run's tools. */
  readonly tools?: ToolSet;
  readonly system?: string;
  readonly limits?: Limits;
}

/** Named branches that run in parallel, each with its own operations. */
export type Branches<State> = Readonly<Record<string, (context: WorkflowContext<State>) => unknown>>;

/** The branches' results, by name. */
export type BranchResults<All extends Branches<never>> = {
  readonly [Name in keyof All]: Awaited<ReturnType<All[Name]>>;
};

/** The branches' outcomes, by name. */
export type BranchOutcomes<All extends Branches<never>> = {
  readonly [Name in keyof All]: PromiseSettledResult<Awaited<ReturnType<All[Name]>>>;
};

/** Options for running branches. */
export interface BranchOptions {
  /**
   * Maximum number of branches that work in parallel, not counting those that are waiting. Default: no limit.
   */
  readonly limit?: number;
}

/** A graph written as code, with typed input and output. */
export interface Workflow<Input, Output> extends Graph {
  /** Used only for type checking; never set. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/**
 * The context of a workflow's code. Everything in it is an operation, journaled under its name and a number.
 * When the code runs again from the top, each operation returns its recorded result. The promise of an open
 * question stays pending, so neither `catch` nor `finally` runs. Between operations, do not read the clock,
 * random numbers or external data.
 */
export interface WorkflowContext<State = JsonObject> {
  /** The path of this run, such as `deploy@1`, including any enclosing nodes. */
  readonly path: string;
  /** Instructions from people who sent the run to this node. */
  readonly guidance: readonly string[];
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** The state written with `put`: a small amount of data, for people who watch the run and for gates. */
  readonly state: Readonly<State>;
  /** Changes the state. @throws HitlError BAD_STATE if the new state is invalid. */
  put(patch: Partial<State>): Promise<void>;
  /**
   * Reports data to clients that follow the run, as `{ type: 'emitted', data }`. A replay does not repeat it.
   * With `keep`, it is journaled as the operation `emit`.
   */
  emit(data: JsonValue, options?: { readonly keep?: boolean }): Promise<void>;
  /**
   * Saves a checkpoint. Later runs of the code do not replay anything before it, and read the value with
   * `restored`. All earlier operations must have ended. Values that the code collected before the checkpoint,
   * such as a list of undo functions, are lost. Not allowed in a branch.
   */
  checkpoint(value: JsonValue): Promise<void>;
  /** Returns the value of the last checkpoint; `undefined` if there is none yet. */
  restored<Value>(schema: TypedSchema<Value>): Promise<Value | undefined>;
  restored(): Promise<JsonValue | undefined>;
  /**
   * Runs a function once. If the body throws, the step throws the same error in every replay, with its
   * message, `name`, `code` and the JSON part of `details`.
   */
  step<Result>(
    name: string,
    body: (context: StepContext) => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;
  /** Asks a person a question. Invalid answers are rejected. */
  ask<Answer>(name: string, question: TypedQuestion<Answer>): Promise<Answer>;
  ask(name: string, question: PlainQuestion): Promise<JsonValue>;
  /** Runs a tool, including its approvals and questions. @throws HitlError NODE_FAILED if the tool failed. */
  tool<Input, Output>(tool: TypedTool<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  tool(tool: UntypedTool, input: JsonValue): Promise<JsonValue>;
  /** Runs an agent and returns the text of its last message. */
  agent(name: string, options: AgentOptions): Promise<string>;
  /** Runs another workflow, or a graph with the given initial state, and returns its output. */
  call<Input, Output>(workflow: Workflow<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  call(graph: UntypedGraph, state?: JsonObject): Promise<JsonValue>;
  /** Runs branches in parallel until all have succeeded. The first failure ends the others. */
  all<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>>;
  /** Runs branches in parallel until all have succeeded or failed. */
  settled<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchOutcomes<All>>;
  /** Runs branches in parallel until one succeeds, then ends the others. */
  any<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /** Runs branches in parallel until one succeeds or fails, then ends the others. */
  race<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /**
   * Waits for a duration, such as `90s` or `2h`, or a number of milliseconds. The wait is a question that a
   * timer answers, no matter which machine runs the session; a person can end the wait early.
   * @throws HitlError BAD_CONFIG for an invalid duration.
   */
  sleep(name: string, duration: Duration): Promise<void>;
  /** Like `sleep`, but waits until a point in time. @throws HitlError BAD_CONFIG for an invalid time. */
  until(name: string, moment: Moment): Promise<void>;
  /**
   * Waits for an external event, sent with `hitl send <id> --event build --data '{"ok":true}'` or
   * `flow.send`. Events that arrive early stay in the queue. Each event ends only one wait, and invalid data
   * is rejected. Returns `null` after the timeout.
   * @throws HitlError BAD_CONFIG for an invalid timeout.
   */
  event<Data>(name: string, options: TypedEvent<Data> & Bounded): Promise<Data | null>;
  event<Data>(name: string, options: TypedEvent<Data>): Promise<Data>;
  event(name: string, options?: EventOptions): Promise<JsonValue>;
  /** Returns the current time, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Returns a random number from 0 to 1. Not suitable for secrets. */
  random(): Promise<number>;
  /** Returns a unique ID. Not suitable for secrets. */
  uuid(): Promise<string>;
  /** Returns false if the run already passed this point with older code; otherwise returns true. */
  patched(name: string): Promise<boolean>;
}
