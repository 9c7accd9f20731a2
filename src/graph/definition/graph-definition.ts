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
  /** Additional content from the node to show. */
  readonly payload?: JsonValue;
  /** Name of an external event that may also answer it. */
  readonly event?: string;
  /** Answered by time or an event instead of a person. */
  readonly wait?: 'timer' | 'event';
}

/** The context of a node's body, in addition to the state. */
export interface NodeContext {
  /** `review@2`, with enclosing nodes: `outer@1/review@2`. */
  readonly path: string;
  readonly node: string;
  /** Counts from 1. */
  readonly visit: number;
  /** Counts from 1; a resumed run is another attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Instructions of people who sent the run here. */
  readonly guidance: readonly string[];
  /** Each node's last failure on the way here, by name. */
  readonly errors: Readonly<Record<string, ErrorRecord>>;
  /** The node's input, possibly edited. */
  readonly input: JsonValue | undefined;
  /** The same for every attempt of an activation. */
  readonly idempotencyKey: string;
  /**
   * Asks a person. Until there is an answer the body stops here: neither `catch` nor `finally` runs. Then it
   * runs again from the top and gets the answer. Do not call it inside a step.
   */
  ask(question: NodeQuestion): Promise<JsonValue>;
  /** Reports progress to followers of the run; not stored. */
  emit(data: JsonValue): void;
  /**
   * Runs something once for this activation; later runs of the body get the stored result. A key names one
   * step, and no step starts while the body has an unanswered question.
   */
  step(key: string, body: () => unknown, options?: { readonly effect?: Effect }): Promise<JsonValue>;
}

/** Result of a body: an output, state changes, or both; `undefined` for nothing. */
export interface NodeResult {
  readonly output?: JsonValue;
  readonly patch?: JsonObject;
  /** Keys to remove. */
  readonly unset?: readonly string[];
}

/** The body of a node. */
export type NodeBody<State = JsonObject, Result = unknown> = (
  state: Readonly<State>,
  context: NodeContext,
) => Result | Promise<Result>;

/**
 * Result of a node in a graph with a typed state: its output, typed if the state has a key with the node's
 * name, or state changes. Without a type: anything.
 */
export type TypedResult<State, Name extends string> = string extends keyof State
  ? unknown
  : | (Name extends keyof State ? State[Name] : string | number | boolean | null | readonly JsonValue[])
    | TypedPatch<State, Name>
    | undefined;

/** A result with known properties: an output, state changes, or both. */
export interface TypedPatch<State, Name extends string> {
  readonly output?: Name extends keyof State ? State[Name] : JsonValue;
  readonly patch?: Partial<State>;
  readonly unset?: readonly (keyof State & string)[];
}

/** A node's attempts after a failure, and the pauses between them. */
export interface RetryOptions {
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** The pause before the second attempt: `1s`, or milliseconds. Default 0. */
  readonly delay?: Duration;
  /** Growth of each further pause. Default 2. */
  readonly factor?: number;
  /** The longest pause: `5m`, or milliseconds. Default: no limit. */
  readonly cap?: Duration;
  /** Random share removed from a pause, 0 to 1. Default: 0. */
  readonly jitter?: number;
  /**
   * Returns whether another attempt may help, given the thrown value; a throw means no. If the process died in
   * between, the value is an error with message, `name`, `code` and `details`. Default: always.
   */
  readonly when?: (thrown: unknown) => boolean;
}

/** The condition of a gate, and its time limit, which never passes the gate. */
export interface GateOptions extends Deadline, Approvable {
  readonly before?: boolean;
  readonly after?: boolean;
  /** Asks only if this is true. */
  readonly when?: string;
  readonly prompt?: string;
}

/**
 * Actions that messages may request of a run; plain text is a `rerun`. Actions in neither list are refused,
 * and `pause` is always accepted. A message never answers for a person: one that would change an answer, or
 * bypass a node that asks, always needs approval.
 */
export interface SteerRules {
  /** Applied at once. Default: none. */
  readonly allow?: '*' | readonly ResolutionAction[];
  /** Applied once a person agrees. Default: none. */
  readonly confirm?: '*' | readonly ResolutionAction[];
}

/** Options of every kind of node. */
export interface NodeOptions {
  readonly gate?: GateOptions;
  /** Actions that messages may request at this node, instead of the graph's; see `SteerRules`. */
  readonly steer?: SteerRules;
  /** Further attempts after a failure. Default: none. */
  readonly retry?: RetryOptions;
  /** After the last attempt: end the run (default), ask a person, or continue without an output. */
  readonly onError?: 'fail' | 'ask' | 'continue';
  /** State key of the output. Default: the node's name; `false` for none. */
  readonly outputKey?: string | false;
  /** Schema of the node's input: the state, or a person's input. An invalid one fails the node. */
  readonly inputSchema?: NodeSchema;
  /** Schema of the output, also of a person's. An invalid one fails the node. */
  readonly outputSchema?: NodeSchema;
}

/** Options of functions only; tools have their own, agents `limits`. */
export interface FunctionOptions extends NodeOptions {
  /** Effect of running the body again. Default: `once`. */
  readonly effect?: Effect;
  /** Time limit of the body: `30s`, or milliseconds. Default: none. */
  readonly timeout?: Duration;
}

/** A node whose body is a function. */
export interface FunctionNode extends FunctionOptions {
  readonly kind: 'function';
  readonly run: NodeBody;
}

/** A node in which a model works with its own tools. */
export interface AgentNode<State = JsonObject> extends NodeOptions, ReplySettings {
  readonly kind: 'agent';
  /** Default: the run's model. */
  readonly model?: Model;
  /** Default: the run's tools. */
  readonly tools?: ToolSet;
  readonly system?: string;
  readonly limits?: Limits;
  /** The user message. Default: the state's `input`. */
  readonly prompt?: (state: Readonly<State>) => string;
  /** Agents that it may call as tools, by name. Their questions belong to this run. */
  readonly agents?: Readonly<Record<string, CalledAgent>>;
}

/** An agent that another one calls with a text request; it has its own conversation and calls no agents. */
export interface CalledAgent extends Pick<
  AgentNode,
  'model' | 'tools' | 'system' | 'limits' | 'effort' | 'thinking'
> {
  /** Purpose, for the calling model. */
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

/** A node that becomes one of several candidates, depending on the state. */
export interface ChooseNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'choose';
  readonly select: (state: Readonly<State>) => string;
  readonly candidates: Readonly<Record<string, NodeDefinition>>;
  readonly fallback?: string;
}

/** Number of branches that must succeed (P-8). */
export type Join = 'all' | 'any' | number;
/** What a group does when a branch fails: end at once, continue with the successful ones, or wait for all (P-10). */
export type BranchErrors = 'fail-fast' | 'continue' | 'collect';
/** Which value wins if branches wrote different values to a key; with `error`, none does. */
export type OnConflict = 'error' | 'last' | 'first';

/** A node of several nodes that run in parallel. */
export interface GroupNode extends NodeOptions {
  readonly kind: 'group';
  readonly members: Readonly<Record<string, NodeDefinition>>;
  readonly join?: Join;
  readonly onBranchError?: BranchErrors;
  readonly onConflict?: OnConflict;
}

/** A node that runs its worker for each item of a list. */
export interface MapNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'map';
  readonly items: (state: Readonly<State>) => readonly JsonValue[];
  /** Gets `item` and `index` in its state; an isolated graph without `input` gets only these. */
  readonly worker: NodeDefinition;
  /** Default 5. */
  readonly maxParallel?: number;
  /** Makes the output from the results, in item order, and the state. Default: the results. */
  readonly reduce?: (results: readonly JsonValue[], state: Readonly<State>) => JsonValue;
}

/** A node that runs another graph. */
export interface SubgraphNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'subgraph';
  readonly graph: Graph;
  /** Initial inner state. `shared`: the outer state; `isolated`: empty. Default: `shared`. */
  readonly state?: 'shared' | 'isolated';
  readonly input?: (state: Readonly<State>) => JsonObject;
  /** Returns the changes for the outer state. Default: all changes if `shared`, none if `isolated`. */
  readonly result?: (inner: JsonObject) => JsonObject;
}

/** A graph run inside an operation, and its initial state. */
export interface CalledGraph {
  readonly kind: 'graph';
  readonly graph: Graph;
  readonly set: JsonObject;
}

/** The operations of a workflow's code. */
export type CodeOperations = Operations<NodeQuestion, AgentNode | ToolNode | CalledGraph>;

/** A function with journaled operations, run from its top whenever it continues. */
export interface WorkflowNode extends NodeOptions {
  readonly kind: 'workflow';
  readonly code: (operations: CodeOperations, input: JsonValue) => Promise<unknown>;
  /** Rejects for an input that the code does not accept. Default: accepts any. */
  readonly takes?: (input: JsonValue) => Promise<void>;
  /** Names of all operations in its code. Default: unknown. */
  readonly operations?: readonly string[];
}

/** A node of a graph, of any kind. */
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
  /** By source, in declaration order. */
  readonly edges: Readonly<Record<string, readonly Edge[]>>;
  readonly start: string;
  readonly ends: ReadonlySet<string>;
  readonly reducers: Reducers;
  readonly maxIterations: number;
  readonly before: GatePoints;
  readonly after: GatePoints;
  /** Parsed conditions of gates, by node. */
  readonly gates: ReadonlyMap<string, Condition>;
  /** Whether an invalid condition fails the run. Default false. */
  readonly strict: boolean;
  readonly steer?: SteerRules;
  readonly hash: string;
  /** Identifies the code that it was loaded from; absent if unknown. Approvals are for this code. */
  readonly code?: string;
  /** The definition as stored with a session; absent for a branch of one node. */
  readonly outline?: GraphOutline;
  /** Further versions whose runs this one continues. */
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

/** The condition of an edge: an expression, or a function of state and result. */
export type When<State = JsonObject> = string | ((state: Readonly<State>, meta: RouteMeta) => boolean);

/** The condition of an edge, and its priority. */
export interface EdgeOptions<State = JsonObject> {
  /** Default: always. */
  readonly when?: When<State>;
  /** Higher ones are tried first; 0 is the fallback, which always matches. Default: 1. */
  readonly priority?: number;
  /** Weight among edges that match at the same priority. Default 1. */
  readonly weight?: number;
}

/** An edge of a graph with its parsed condition. */
export interface Edge {
  readonly to: string;
  readonly when?: When;
  /** The parsed `when`. */
  readonly condition?: Condition;
  readonly priority: number;
  readonly weight: number;
}

/** Whether a value was built by a builder, of this or another copy of the package. */
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
