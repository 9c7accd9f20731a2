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

/** A workflow's question with a JSON Schema, or none. */
export type PlainQuestion = Omit<NodeQuestion, 'event' | 'wait'>;

/** A workflow's question whose schema types the answer. */
export interface TypedQuestion<Answer> extends Omit<PlainQuestion, 'schema'> {
  readonly schema: TypedSchema<Answer>;
}

/** A wait for an event from outside. Its data has the type of its schema. */
export interface TypedEvent<Data> extends EventOptions {
  readonly schema: TypedSchema<Data>;
}

/** The settings of a wait for an event from outside. */
export interface EventOptions {
  /** JSON Schema of the data. Default: any value. */
  readonly schema?: JsonObject | TypedSchema<unknown>;
  /** Text for a person who inspects the wait. */
  readonly prompt?: string;
  /** The longest wait: `90s`, `2h`, or milliseconds. Default: no limit. */
  readonly timeout?: Duration;
  /** Default: the result is `null`. */
  readonly onTimeout?: 'cancel' | Exclude<TimeoutOutcome, string>;
}

/** A limited wait: `null` if no event arrives in time. */
export interface Bounded {
  readonly timeout: Duration;
  readonly onTimeout?: never;
}

/** A tool typed by its schemas, from `defineTool`. */
export interface TypedTool<Input, Output> extends Tool {
  respond(interrupt: Interrupt, output: Output): unknown;
  restart(interrupt: Interrupt, options?: { readonly input?: Input }): unknown;
}

/** A tool without type information. */
export type UntypedTool = Tool & { readonly respond?: never };

/** A graph without type information. */
export type UntypedGraph = Graph & { readonly types?: never };

/** A time: ISO 8601, or a `Date`. */
export type Moment = string | { readonly getTime: () => number };

/** An agent of a workflow. */
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

/** The results of branches, by name. */
export type BranchResults<All extends Branches<never>> = {
  readonly [Name in keyof All]: Awaited<ReturnType<All[Name]>>;
};

/** The outcome of each branch, by name. */
export type BranchOutcomes<All extends Branches<never>> = {
  readonly [Name in keyof All]: PromiseSettledResult<Awaited<ReturnType<All[Name]>>>;
};

/** The settings of branches. */
export interface BranchOptions {
  /** Number of branches that work in parallel; waiting ones do not count. Default: all. */
  readonly limit?: number;
}

/** A graph written as code, with the types of its input and output. */
export interface Workflow<Input, Output> extends Graph {
  /** For the compiler only. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/**
 * The context of a workflow's code. Everything in it is an operation, journaled under its name and a number: when the
 * code runs again from the top, it returns the recorded result. An open question's promise stays pending, so neither
 * `catch` nor `finally` runs. Between operations, read no clock, random numbers or outside data.
 */
export interface WorkflowContext<State = JsonObject> {
  /** `deploy@1`, with enclosing nodes. */
  readonly path: string;
  /** Instructions of people who sent the run here. */
  readonly guidance: readonly string[];
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** The state written by `put`: small data for people who watch the run, and for gates. */
  readonly state: Readonly<State>;
  /** Changes the state. @throws HitlError BAD_STATE for an invalid state. */
  put(patch: Partial<State>): Promise<void>;
  /**
   * Reports data to followers of the run: `{ type: 'emitted', data }`. A replay does not repeat it. With
   * `keep` it is journaled as the operation `emit`.
   */
  emit(data: JsonValue, options?: { readonly keep?: boolean }): Promise<void>;
  /**
   * Lets the code start from here: later runs replay nothing before it and read the value with `restored`.
   * Nothing may be open, and undo lists are lost. Not allowed in a branch.
   */
  checkpoint(value: JsonValue): Promise<void>;
  /** Returns the value of the last checkpoint; `undefined` before the first. */
  restored<Value>(schema: TypedSchema<Value>): Promise<Value | undefined>;
  restored(): Promise<JsonValue | undefined>;
  /**
   * Runs something once. Throws what the body threw, the same in each replay: an error with message, `name`, `code`
   * and the JSON part of `details`.
   */
  step<Result>(
    name: string,
    body: (context: StepContext) => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;
  /** Asks a person. Invalid answers are rejected. */
  ask<Answer>(name: string, question: TypedQuestion<Answer>): Promise<Answer>;
  ask(name: string, question: PlainQuestion): Promise<JsonValue>;
  /** Runs a tool, with its approval and questions. @throws HitlError NODE_FAILED if it failed. */
  tool<Input, Output>(tool: TypedTool<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  tool(tool: UntypedTool, input: JsonValue): Promise<JsonValue>;
  /** Runs an agent and returns its last text. */
  agent(name: string, options: AgentOptions): Promise<string>;
  /** Runs another workflow, or a graph with this initial state, and returns its output. */
  call<Input, Output>(workflow: Workflow<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  call(graph: UntypedGraph, state?: JsonObject): Promise<JsonValue>;
  /** Runs branches in parallel until all have ended. The first failure ends the others. */
  all<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>>;
  /** Runs branches in parallel until all have ended or failed. */
  settled<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchOutcomes<All>>;
  /** Runs branches in parallel until one succeeds; the others end. */
  any<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /** Runs branches in parallel until one ends or fails; the others end. */
  race<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /**
   * Waits: `90s`, `2h`, or milliseconds. The wait is a question that time answers, on any machine; a person may end
   * it early.
   * @throws HitlError BAD_CONFIG for an invalid duration.
   */
  sleep(name: string, duration: Duration): Promise<void>;
  /** Waits until a time, like `sleep`. @throws HitlError BAD_CONFIG for an invalid time. */
  until(name: string, moment: Moment): Promise<void>;
  /**
   * Waits for an outside event: `hitl send <id> --event build --data '{"ok":true}'`, or `flow.send`. Earlier events
   * stay in the queue, each event ends one wait, and invalid data is refused. After the timeout it returns `null`.
   * @throws HitlError BAD_CONFIG for an invalid timeout.
   */
  event<Data>(name: string, options: TypedEvent<Data> & Bounded): Promise<Data | null>;
  event<Data>(name: string, options: TypedEvent<Data>): Promise<Data>;
  event(name: string, options?: EventOptions): Promise<JsonValue>;
  /** Returns the time, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Returns a number from 0 to 1. Not secret. */
  random(): Promise<number>;
  /** Returns a unique id. Not secret. */
  uuid(): Promise<string>;
  /** Returns whether the run has not passed this point with older code. */
  patched(name: string): Promise<boolean>;
}
