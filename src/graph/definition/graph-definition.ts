import type {
  Approvable,
  Deadline,
  Duration,
  Effect,
  ErrorRecord,
  GatePoints,
  GraphOutline,
  JsonObject,
  JsonValue,
  Model,
  ResolutionAction,
  Tool,
  ToolSet,
  ReplySettings,
} from '../../core/index.js';
import type { Limits } from '../../engine/index.js';
import type { Condition, RouteMeta } from '../expression/expression-types.js';
import type { NodeSchema } from './node-schema.js';
import type { Operations } from './code-operations.js';
import type { Reducers } from '../state/reducers.js';

/** A node's question to a person. */
export interface NodeQuestion extends Deadline, Approvable {
  readonly prompt: string;
  /** JSON Schema of the answer. Default: any value. */
  readonly schema?: JsonObject;
  /** Additional content to show with the question. */
  readonly payload?: JsonValue;
  /** Name of an external event that can also answer the question. */
  readonly event?: string;
  /** Set if a timer or an event answers the question instead of a person. */
  readonly wait?: 'timer' | 'event';
}

/** The context passed to a node's body along with the state. */
export interface NodeContext {
  /** The path of this activation: `review@2`, or `outer@1/review@2` inside another node. */
  readonly path: string;
  readonly node: string;
  /** Counts from 1. */
  readonly visit: number;
  /** The attempt number, from 1. Resuming a run starts another attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Instructions from the people who sent the run to this node. */
  readonly guidance: readonly string[];
  /** The last failure of each node on the path to this one, by node name. */
  readonly errors: Readonly<Record<string, ErrorRecord>>;
  /** The node's input, possibly edited. */
  readonly input: JsonValue | undefined;
  /** The same for every attempt of one activation. */
  readonly idempotencyKey: string;
  /**
   * Asks a person. Until there is an answer, the body stops at this call without running `catch` or
   * `finally`. Then the body runs again from the top, and the call returns the answer. Do not call this
   * inside a step.
   */
  ask(question: NodeQuestion): Promise<JsonValue>;
  /** Reports progress to clients that follow the run; not stored. */
  emit(data: JsonValue): void;
  /**
   * Runs a function once per activation; later runs of the body get the stored result. Each step needs its
   * own key. No step starts while the body has an unanswered question.
   */
  step(key: string, body: () => unknown, options?: { readonly effect?: Effect }): Promise<JsonValue>;
}

/** The result of a body: an output, state changes, or both; `undefined` for neither. */
export interface NodeResult {
  readonly output?: JsonValue;
  readonly patch?: JsonObject;
  /** Keys to remove. */
  readonly unset?: readonly string[];
}

/** A node's body. */
export type NodeBody<State = JsonObject, Result = unknown> = (
  state: Readonly<State>,
  context: NodeContext,
) => Result | Promise<Result>;

/**
 * A node's result in a graph with a typed state: either its output, typed if the state has a key named after
 * the node, or state changes. Without a state type, any value.
 */
export type TypedResult<State, Name extends string> = string extends keyof State
  ? unknown
  : | (Name extends keyof State ? State[Name] : string | number | boolean | null | readonly JsonValue[])
    | TypedPatch<State, Name>
    | undefined;

/** A typed result: an output, state changes, or both. */
export interface TypedPatch<State, Name extends string> {
  readonly output?: Name extends keyof State ? State[Name] : JsonValue;
  readonly patch?: Partial<State>;
  readonly unset?: readonly (keyof State & string)[];
}

/** How often to retry a node after a failure, and the pauses between attempts. */
export interface RetryOptions {
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** Pause before the second attempt: a duration such as `1s`, or a number of milliseconds. Default: 0. */
  readonly delay?: Duration;
  /** Growth factor for each further pause. Default: 2. */
  readonly factor?: number;
  /** Maximum pause: a duration such as `5m`, or a number of milliseconds. Default: no limit. */
  readonly cap?: Duration;
  /** Random fraction to subtract from a pause, 0 to 1. Default: 0. */
  readonly jitter?: number;
  /**
   * Whether another attempt may help, given the thrown value. If the function throws, there is no retry. If
   * the process died before the retry, the value is an error with message, `name`, `code` and `details`.
   * Default: always retry.
   */
  readonly when?: (thrown: unknown) => boolean;
}

/** Options for a gate on a node. A timeout never opens the gate. */
export interface GateOptions extends Deadline, Approvable {
  readonly before?: boolean;
  readonly after?: boolean;
  /** The gate asks only if this condition is true. */
  readonly when?: string;
  readonly prompt?: string;
}

/**
 * Actions that messages may request; plain text requests a `rerun`. An action in neither list is refused,
 * except that `pause` is always allowed. Messages must never answer on a person's behalf, so approval is
 * always required for a message that would change an answer or bypass a node that asks a person.
 */
export interface SteerRules {
  /** Actions applied immediately. Default: none. */
  readonly allow?: '*' | readonly ResolutionAction[];
  /** Actions applied after a person approves. Default: none. */
  readonly confirm?: '*' | readonly ResolutionAction[];
}

/** Options for every kind of node. */
export interface NodeOptions {
  readonly gate?: GateOptions;
  /** Actions that messages may request at this node; replaces the graph's rules. See `SteerRules`. */
  readonly steer?: SteerRules;
  /** Retries after a failure. Default: none. */
  readonly retry?: RetryOptions;
  /**
   * What to do after the last attempt fails: end the run (default), ask a person, or continue without an
   * output.
   */
  readonly onError?: 'fail' | 'ask' | 'continue';
  /** State key to store the output under; `false` to not store it. Default: the node's name. */
  readonly outputKey?: string | false;
  /** Schema of the node's input: the state, or input from a person. Invalid input fails the node. */
  readonly inputSchema?: NodeSchema;
  /** Schema of the output, including output from a person. Invalid output fails the node. */
  readonly outputSchema?: NodeSchema;
}

/**
 * Options that only function nodes have. Tools define their own effect and timeout, and agents use `limits`.
 */
export interface FunctionOptions extends NodeOptions {
  /** The effect of running the body again. Default: `once`. */
  readonly effect?: Effect;
  /** Time limit of the body: a duration such as `30s`, or a number of milliseconds. Default: none. */
  readonly timeout?: Duration;
}

/** A node whose body is a function. */
export interface FunctionNode extends FunctionOptions {
  readonly kind: 'function';
  readonly run: NodeBody;
}

/** A node in which a model works with a set of tools. */
export interface AgentNode<State = JsonObject> extends NodeOptions, ReplySettings {
  readonly kind: 'agent';
  /** Default: the run's model. */
  readonly model?: Model;
  /** Default: the run's tools. */
  readonly tools?: ToolSet;
  readonly system?: string;
  readonly limits?: Limits;
  /** Returns the user message. Default: the `input` key of the state. */
  readonly prompt?: (state: Readonly<State>) => string;
  /** Agents that it can call as tools, by name. Their questions are part of this run. */
  readonly agents?: Readonly<Record<string, CalledAgent>>;
}

/**
 * An agent that another agent calls with a request as text. It has its own conversation and cannot call
 * agents.
 */
export interface CalledAgent extends Pick<
  AgentNode,
  'model' | 'tools' | 'system' | 'limits' | 'effort' | 'thinking'
> {
  /** The agent's purpose, described for the calling model. */
  readonly description: string;
}

/** A node that calls one tool. */
export interface ToolNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'tool';
  readonly tool: Tool;
  readonly input: (state: Readonly<State>) => JsonValue;
}

/** A node that asks a person. */
export interface HumanNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'human';
  readonly question: (
    state: Readonly<State>,
    context: Pick<NodeContext, 'errors' | 'guidance'>,
  ) => NodeQuestion;
}

/** A node that runs one of several candidates, depending on the state. */
export interface ChooseNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'choose';
  readonly select: (state: Readonly<State>) => string;
  readonly candidates: Readonly<Record<string, NodeDefinition>>;
  readonly fallback?: string;
}

/** How many branches must succeed (P-8). */
export type Join = 'all' | 'any' | number;
/**
 * What a group does when a branch fails: end immediately, continue with the successful branches, or wait for
 * all of them (P-10).
 */
export type BranchErrors = 'fail-fast' | 'continue' | 'collect';
/** Which value to keep if branches write different values to the same key; with `error`, the merge fails. */
export type OnConflict = 'error' | 'last' | 'first';

/** A node that runs several nodes in parallel. */
export interface GroupNode extends NodeOptions {
  readonly kind: 'group';
  readonly members: Readonly<Record<string, NodeDefinition>>;
  readonly join?: Join;
  readonly onBranchError?: BranchErrors;
  readonly onConflict?: OnConflict;
}

/** A node that runs a worker for each item in a list. */
export interface MapNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'map';
  readonly items: (state: Readonly<State>) => readonly JsonValue[];
  /**
   * The node to run for each item. Its state contains `item` and `index`; an isolated graph without `input`
   * receives only these.
   */
  readonly worker: NodeDefinition;
  /** Default 5. */
  readonly maxParallel?: number;
  /** Computes the output from the results, in item order, and the state. Default: the list of results. */
  readonly reduce?: (results: readonly JsonValue[], state: Readonly<State>) => JsonValue;
}

/** A node that runs another graph. */
export interface SubgraphNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'subgraph';
  readonly graph: Graph;
  /**
   * The initial state of the inner graph: the outer state if `shared`, empty if `isolated`. Default:
   * `shared`.
   */
  readonly state?: 'shared' | 'isolated';
  readonly input?: (state: Readonly<State>) => JsonObject;
  /** Returns the changes to make to the outer state. Default: all changes if `shared`, none if `isolated`. */
  readonly result?: (inner: JsonObject) => JsonObject;
}

/** A graph to run inside an operation, and its initial state. */
export interface CalledGraph {
  readonly kind: 'graph';
  readonly graph: Graph;
  readonly set: JsonObject;
}

/** The operations available to a workflow's code. */
export type CodeOperations = Operations<NodeQuestion, AgentNode | ToolNode | CalledGraph>;

/**
 * A node that runs a function with journaled operations. The function runs from the top every time it
 * continues.
 */
export interface WorkflowNode extends NodeOptions {
  readonly kind: 'workflow';
  readonly code: (operations: CodeOperations, input: JsonValue) => Promise<unknown>;
  /** Validates the input; rejects if the input is invalid. Default: accepts any input. */
  readonly takes?: (input: JsonValue) => Promise<void>;
  /** The names of all operations in the code. Default: unknown. */
  readonly operations?: readonly string[];
}

/** A graph node of any kind. */
export type NodeDefinition =
  | FunctionNode
  | AgentNode
  | ToolNode
  | HumanNode
  | ChooseNode
  | GroupNode
  | MapNode
  | SubgraphNode
  | WorkflowNode;

/** A validated graph. */
export interface Graph {
  readonly name: string;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  /** The edges of each source node, in declaration order. */
  readonly edges: Readonly<Record<string, readonly Edge[]>>;
  readonly start: string;
  readonly ends: ReadonlySet<string>;
  readonly reducers: Reducers;
  readonly maxIterations: number;
  readonly before: GatePoints;
  readonly after: GatePoints;
  /** Parsed gate conditions, by node. */
  readonly gates: ReadonlyMap<string, Condition>;
  /** Whether a condition that cannot be evaluated fails the run. Default: false. */
  readonly strict: boolean;
  readonly steer?: SteerRules;
  readonly hash: string;
  /** Identifies the code that the graph was loaded from; absent if unknown. Approvals apply to this code. */
  readonly code?: string;
  /** The definition in the form stored with a session; absent for a single-node branch. */
  readonly outline?: GraphOutline;
  /** Other versions whose runs this definition can continue. */
  readonly accepts?: readonly number[];
}

/** The declared nodes and edges, before validation. */
export interface Declared {
  readonly name: string;
  readonly nodes: readonly (readonly [string, NodeDefinition])[];
  readonly edges: readonly (readonly [string, Edge])[];
  readonly start: string | undefined;
  readonly ends: readonly string[];
}

/** An edge's condition: an expression, or a function of the state and the run's progress. */
export type When<State = JsonObject> = string | ((state: Readonly<State>, meta: RouteMeta) => boolean);

/** The condition, priority and weight of an edge. */
export interface EdgeOptions<State = JsonObject> {
  /** Default: always. */
  readonly when?: When<State>;
  /** Edges with higher priorities are tried first; 0 marks the fallback, which always matches. Default: 1. */
  readonly priority?: number;
  /** Weight among the matching edges of the same priority. Default: 1. */
  readonly weight?: number;
}

/** A graph edge with its parsed condition. */
export interface Edge {
  readonly to: string;
  readonly when?: When;
  /** The parsed `when`. */
  readonly condition?: Condition;
  readonly priority: number;
  readonly weight: number;
}

/** Whether a value is a graph from a builder, in this or another copy of the package. */
export function isGraph(value: unknown): value is Graph {
  return (
    typeof value === 'object' &&
    value !== null &&
    'nodes' in value &&
    'edges' in value &&
    'start' in value &&
    'hash' in value &&
    typeof value.hash === 'string' &&
    'ends' in value &&
    value.ends instanceof Set
  );
}
