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

/** A question of a workflow, with a JSON Schema or none. */
export type PlainQuestion = Omit<NodeQuestion, 'event' | 'wait'>;

/** A question of a workflow, whose answer has the type of its schema. */
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
  /** The words for a person who looks at what waits. */
  readonly prompt?: string;
  /** The longest wait: `90s`, `2h`, or milliseconds. Default: no end. */
  readonly timeout?: Duration;
  /** Default: `null` is what comes of it. */
  readonly onTimeout?: 'cancel' | Exclude<TimeoutOutcome, string>;
}

/** A wait that ends: with `null`, where nothing comes in time. */
export interface Bounded {
  readonly timeout: Duration;
  readonly onTimeout?: never;
}

/** A tool with the types of its schemas, as `defineTool` gives it. */
export interface TypedTool<Input, Output> extends Tool {
  respond(interrupt: Interrupt, output: Output): unknown;
  restart(interrupt: Interrupt, options?: { readonly input?: Input }): unknown;
}

/** A tool that says nothing of its types. */
export type UntypedTool = Tool & { readonly respond?: never };

/** A graph that says nothing of its types. */
export type UntypedGraph = Graph & { readonly types?: never };

/** A moment: ISO 8601, or a `Date`. */
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

/** Parts of a workflow that run at once, by name. Each is given operations with keys of its own. */
export type Branches<State> = Readonly<Record<string, (context: WorkflowContext<State>) => unknown>>;

/** The results of branches, by name. */
export type BranchResults<All extends Branches<never>> = {
  readonly [Name in keyof All]: Awaited<ReturnType<All[Name]>>;
};

/** The end of each branch, by name. */
export type BranchOutcomes<All extends Branches<never>> = {
  readonly [Name in keyof All]: PromiseSettledResult<Awaited<ReturnType<All[Name]>>>;
};

/** The settings of branches. */
export interface BranchOptions {
  /** The number of branches that work at once; one that waits for a person or for time does not count. Default: all. */
  readonly limit?: number;
}

/** A graph that was written as code, with the types of what it takes and gives. */
export interface Workflow<Input, Output> extends Graph {
  /** For the compiler alone. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/**
 * The context that the code of a workflow is given. Everything in it is an operation: it is kept in the journal under its name and
 * a number, and when the code runs again from its top, it is given what came of it, and does nothing twice. What waits
 * never settles in that run of the code, so that neither `catch` nor `finally` runs because somebody was asked.
 * Between operations the code reads no clock, no chance and nothing from outside.
 */
export interface WorkflowContext<State = JsonObject> {
  /** `deploy@1`, with what it is inside of. */
  readonly path: string;
  /** The words of people who sent the run here. */
  readonly guidance: readonly string[];
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** The members that `put` has made so far: small things for people who look at the run, and for gates. */
  readonly state: Readonly<State>;
  /** Changes members of the state. @throws HitlError BAD_STATE for what its schema does not take. */
  put(patch: Partial<State>): Promise<void>;
  /**
   * Shows something to whoever follows the run: `{ type: 'emitted', data }`. A replay does not show it again. It is kept in the
   * journal with `keep`, as the operation `emit`.
   */
  emit(data: JsonValue, options?: { readonly keep?: boolean }): Promise<void>;
  /**
   * Lets the code start from here, in the place of its top: later runs replay nothing of what came before, and find the
   * value by `restored`. Nothing may be open, and a list of what to undo does not outlive it. Not in a branch.
   */
  checkpoint(value: JsonValue): Promise<void>;
  /** The value of the last checkpoint; `undefined` before the first. */
  restored<Value>(schema: TypedSchema<Value>): Promise<Value | undefined>;
  restored(): Promise<JsonValue | undefined>;
  /**
   * Does something once. It throws what the body threw, the same in each replay: an error with its message, `name`, `code`
   * and those `details` that are JSON.
   */
  step<Result>(
    name: string,
    body: (context: StepContext) => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;
  /** Asks a person. An answer that the schema does not take fails. */
  ask<Answer>(name: string, question: TypedQuestion<Answer>): Promise<Answer>;
  ask(name: string, question: PlainQuestion): Promise<JsonValue>;
  /** Runs a tool, with its approval and all that a tool may ask. @throws HitlError NODE_FAILED where it failed. */
  tool<Input, Output>(tool: TypedTool<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  tool(tool: UntypedTool, input: JsonValue): Promise<JsonValue>;
  /** Runs an agent, and gives its last words. */
  agent(name: string, options: AgentOptions): Promise<string>;
  /** Runs another workflow, or a graph with this as its first state, and gives its output. */
  call<Input, Output>(workflow: Workflow<Input, Output>, input: NoInfer<Input>): Promise<Output>;
  call(graph: UntypedGraph, state?: JsonObject): Promise<JsonValue>;
  /** Runs branches at once until all have ended. The first failure ends the others. */
  all<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>>;
  /** Runs branches at once until all have ended, well or not. */
  settled<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchOutcomes<All>>;
  /** Runs branches at once until one of them succeeds; the others end there. */
  any<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /** Runs branches at once until one of them ends, well or not; the others end there. */
  race<All extends Branches<State>>(
    name: string,
    branches: All,
    options?: BranchOptions,
  ): Promise<BranchResults<All>[keyof All]>;
  /**
   * Waits for so long: `90s`, `2h`, or a number of milliseconds. The wait is a question that time answers, on whatever machine runs next; a person may
   * end it before. @throws HitlError BAD_CONFIG for what is no duration.
   */
  sleep(name: string, duration: Duration): Promise<void>;
  /** Waits until a moment, as `sleep` does. @throws HitlError BAD_CONFIG for what is no moment. */
  until(name: string, moment: Moment): Promise<void>;
  /**
   * Waits for something that happens outside: `hitl send <id> --event build --data '{"ok":true}'`, or `flow.send`. What was
   * sent before waits for it, each event ends one wait, and data that the schema does not take is refused. Where
   * nothing comes in time it is `null`. @throws HitlError BAD_CONFIG for a timeout that cannot be kept.
   */
  event<Data>(name: string, options: TypedEvent<Data> & Bounded): Promise<Data | null>;
  event<Data>(name: string, options: TypedEvent<Data>): Promise<Data>;
  event(name: string, options?: EventOptions): Promise<JsonValue>;
  /** The time, in milliseconds since 1970. */
  now(): Promise<number>;
  /** A number from 0 to 1. It is no secret. */
  random(): Promise<number>;
  /** An id that no other operation has. It is no secret. */
  uuid(): Promise<string>;
  /** True where the run has not passed this place with an older version of the code. */
  patched(name: string): Promise<boolean>;
}
