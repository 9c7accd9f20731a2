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

/** A question of a node to a person. */
export interface NodeQuestion extends Deadline, Approvable {
  readonly prompt: string;
  /** JSON Schema of the answer. Default: any value. */
  readonly schema?: JsonObject;
  /** The rest of what is shown; its words are the node's. */
  readonly payload?: JsonValue;
  /** The name of an event from outside that answers it too. */
  readonly event?: string;
  /** No person is asked. Default: one is. */
  readonly wait?: 'timer' | 'event';
}

/** The context that a node's body is given beside the state. */
export interface NodeContext {
  /** `review@2`, with what it is inside of: `outer@1/review@2`. */
  readonly path: string;
  readonly node: string;
  /** Counts from 1. */
  readonly visit: number;
  /** Counts from 1; a run that is taken up again is another attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The words of people who sent the run here. */
  readonly guidance: readonly string[];
  /** The last failure of each node on the way here, by its name. */
  readonly errors: Readonly<Record<string, ErrorRecord>>;
  /** The node's input; a person may have edited it. */
  readonly input: JsonValue | undefined;
  /** The same for every attempt of one activation. */
  readonly idempotencyKey: string;
  /**
   * Asks a person. The body is left here until there is an answer: nothing more of it runs, neither `catch` nor
   * `finally`; then it runs again from its top, and gets the answer. Not to be called inside of a step.
   */
  ask(question: NodeQuestion): Promise<JsonValue>;
  /** Shows how far the body came, to whoever follows the run. It is kept nowhere. */
  emit(data: JsonValue): void;
  /**
   * Does something once for this activation, whatever happens; later runs of the body get the kept result. A key names
   * one step, and no step begins once the body has asked something that is not answered.
   */
  step(key: string, body: () => unknown, options?: { readonly effect?: Effect }): Promise<JsonValue>;
}

/** The result of a body: an output, changes of the state, or both. `undefined` gives nothing. */
export interface NodeResult {
  readonly output?: JsonValue;
  readonly patch?: JsonObject;
  /** Keys to remove. */
  readonly unset?: readonly string[];
}

/** The work of a node of a graph. */
export type NodeBody<State = JsonObject, Result = unknown> = (
  state: Readonly<State>,
  context: NodeContext,
) => Result | Promise<Result>;

/**
 * A result of a body of a graph whose state has a type: its output, typed if the state has a key of its name, or changes
 * of the state. Without a type: anything.
 */
export type TypedResult<State, Name extends string> = string extends keyof State
  ? unknown
  : | (Name extends keyof State ? State[Name] : string | number | boolean | null | readonly JsonValue[])
    | TypedPatch<State, Name>
    | undefined;

/** A result whose members are known: an output, changes of the state, or both. */
export interface TypedPatch<State, Name extends string> {
  readonly output?: Name extends keyof State ? State[Name] : JsonValue;
  readonly patch?: Partial<State>;
  readonly unset?: readonly (keyof State & string)[];
}

/** The attempts of a node after a failure, and the pauses between them. */
export interface RetryOptions {
  /** All of them, with the first. */
  readonly attempts: number;
  /** The pause before the second attempt: `1s`, or milliseconds. Default 0. */
  readonly delay?: Duration;
  /** Each pause is so many times the one before. Default 2. */
  readonly factor?: number;
  /** The longest pause: `5m`, or milliseconds. Default: no end. */
  readonly cap?: Duration;
  /** The part of a pause that chance may take off, from 0 to 1. Default 0. */
  readonly jitter?: number;
  /**
   * True for what another attempt may mend; it is given what was thrown, and a throw counts as no. Where the process died
   * in between, that is an error with its message, `name`, `code` and `details`. Default: every one.
   */
  readonly when?: (thrown: unknown) => boolean;
}

/** When a gate stops the run, and how long it waits: nothing passes it by time. */
export interface GateOptions extends Deadline, Approvable {
  readonly before?: boolean;
  readonly after?: boolean;
  /** Asks only where this holds. */
  readonly when?: string;
  readonly prompt?: string;
}

/**
 * The actions that messages may ask of a run, by their names; words alone are a `rerun`. What is in neither list is
 * refused, and `pause` is always taken. A message never answers for a person: what would change an answer, or pass by a
 * node at which somebody is asked, waits for a yes whatever is allowed.
 */
export interface SteerRules {
  /** Done at once. Default none. */
  readonly allow?: '*' | readonly ResolutionAction[];
  /** Done when a person agreed. Default none. */
  readonly confirm?: '*' | readonly ResolutionAction[];
}

/** The options that every kind of node takes. */
export interface NodeOptions {
  readonly gate?: GateOptions;
  /** The actions that messages may ask at this node, in the place of what the graph says; see `SteerRules`. */
  readonly steer?: SteerRules;
  /** More attempts after a failure. Default none. */
  readonly retry?: RetryOptions;
  /** After the last attempt: end the run (default), ask a person, or route on without an output. */
  readonly onError?: 'fail' | 'ask' | 'continue';
  /** The state key for the output. Default: the node's name; `false` keeps it out of the state. */
  readonly outputKey?: string | false;
  /** The schema of what the node begins with: the state, or what a person put in its place. A misfit is a failure. */
  readonly inputSchema?: NodeSchema;
  /** The schema of the output, also of one that a person gave. A misfit is a failure of the node. */
  readonly outputSchema?: NodeSchema;
}

/** The settings that only a function has: tools have their own effects and limits, agents `limits`. */
export interface FunctionOptions extends NodeOptions {
  /** The effect of a second run of the body. Default `once`. */
  readonly effect?: Effect;
  /** The time that the body may take: `30s`, or milliseconds. Default: no limit. */
  readonly timeout?: Duration;
}

/** A node whose body is a function. */
export interface FunctionNode extends FunctionOptions {
  readonly kind: 'function';
  readonly run: NodeBody;
}

/** A node in which a model works with tools of its own. */
export interface AgentNode<State = JsonObject> extends NodeOptions, ReplySettings {
  readonly kind: 'agent';
  /** Default: the run's model. */
  readonly model?: Model;
  /** Default: the run's tools. */
  readonly tools?: ToolSet;
  readonly system?: string;
  readonly limits?: Limits;
  /** The user message. Default: the state's `input` key. */
  readonly prompt?: (state: Readonly<State>) => string;
  /** Agents that it may call as tools, by name. What they ask is asked as a part of this run. */
  readonly agents?: Readonly<Record<string, CalledAgent>>;
}

/** An agent that another one calls with a request in words; it has a conversation of its own, and calls no agents. */
export interface CalledAgent extends Pick<
  AgentNode,
  'model' | 'tools' | 'system' | 'limits' | 'effort' | 'thinking'
> {
  /** Tells the model that calls it what it is for. */
  readonly description: string;
}

/** A node that calls one tool. */
export interface ToolNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'tool';
  readonly tool: Tool;
  readonly input: (state: Readonly<State>) => JsonValue;
}

/** A node at which a person is asked. */
export interface HumanNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'human';
  readonly question: (
    state: Readonly<State>,
    context: Pick<NodeContext, 'errors' | 'guidance'>,
  ) => NodeQuestion;
}

/** A node that is one of several candidates, chosen by the state. */
export interface ChooseNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'choose';
  readonly select: (state: Readonly<State>) => string;
  readonly candidates: Readonly<Record<string, NodeDefinition>>;
  readonly fallback?: string;
}

/** The number of branches that must succeed (P-8). */
export type Join = 'all' | 'any' | number;
/** The end of a group of which a branch failed: at once, with what succeeded, or when all have ended (P-10). */
export type BranchErrors = 'fail-fast' | 'continue' | 'collect';
/** The winner where branches wrote different values under one key, or none. */
export type OnConflict = 'error' | 'last' | 'first';

/** A node of several nodes that end together. */
export interface GroupNode extends NodeOptions {
  readonly kind: 'group';
  readonly members: Readonly<Record<string, NodeDefinition>>;
  readonly join?: Join;
  readonly onBranchError?: BranchErrors;
  readonly onConflict?: OnConflict;
}

/** A node that runs its body once for each item of a list. */
export interface MapNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'map';
  readonly items: (state: Readonly<State>) => readonly JsonValue[];
  /** Sees its item as `item` and its place as `index` in the state; an isolated graph without `input` sees these alone. */
  readonly worker: NodeDefinition;
  /** Default 5. */
  readonly maxParallel?: number;
  /** Makes the output of the results, which are in the order of the items, and of the state. Default: the results. */
  readonly reduce?: (results: readonly JsonValue[], state: Readonly<State>) => JsonValue;
}

/** A node that runs another graph. */
export interface SubgraphNode<State = JsonObject> extends NodeOptions {
  readonly kind: 'subgraph';
  readonly graph: Graph;
  /** The inner state at its start. Default: `shared` takes the outer state, `isolated` nothing. */
  readonly state?: 'shared' | 'isolated';
  readonly input?: (state: Readonly<State>) => JsonObject;
  /** Gives what the outer state takes over. Default: `shared` what changed, `isolated` nothing. */
  readonly result?: (inner: JsonObject) => JsonObject;
}

/** A graph that is run inside of an operation, and what its state begins with. */
export interface CalledGraph {
  readonly kind: 'graph';
  readonly graph: Graph;
  readonly set: JsonObject;
}

/** The operations that the code of a workflow has. */
export type CodeOperations = Operations<NodeQuestion, AgentNode | ToolNode | CalledGraph>;

/** A function whose operations are kept: it is run from its top whenever it goes on. */
export interface WorkflowNode extends NodeOptions {
  readonly kind: 'workflow';
  readonly code: (operations: CodeOperations, input: JsonValue) => Promise<unknown>;
  /** Rejects for an input that the code does not take. Default: it takes any. */
  readonly takes?: (input: JsonValue) => Promise<void>;
  /** The names of all that its code does. Default: nobody knows. */
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

/** A graph that was checked. */
export interface Graph {
  readonly name: string;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  /** By source, in the order of their declaration. */
  readonly edges: Readonly<Record<string, readonly Edge[]>>;
  readonly start: string;
  readonly ends: ReadonlySet<string>;
  readonly reducers: Reducers;
  readonly maxIterations: number;
  readonly before: GatePoints;
  readonly after: GatePoints;
  /** The conditions of gates, read, by node. */
  readonly gates: ReadonlyMap<string, Condition>;
  /** A condition that cannot be evaluated fails the run. Default false. */
  readonly strict: boolean;
  readonly steer?: SteerRules;
  readonly hash: string;
  /** Names the code that it was loaded from; absent where nobody says which it is. Approvals are for this code. */
  readonly code?: string;
  /** The definition as a session keeps it; absent for a branch of one node. */
  readonly outline?: GraphOutline;
  /** The versions whose runs go on with this one, beside its own. */
  readonly accepts?: readonly number[];
}

/** The nodes and edges that were declared, before they are checked. */
export interface Declared {
  readonly name: string;
  readonly nodes: readonly (readonly [string, NodeDefinition])[];
  readonly edges: readonly (readonly [string, Edge])[];
  readonly start: string | undefined;
  readonly ends: readonly string[];
}

/** The condition of an edge: an expression, or a function of state and result. */
export type When<State = JsonObject> = string | ((state: Readonly<State>, meta: RouteMeta) => boolean);

/** The condition of an edge, and its place among the edges of its node. */
export interface EdgeOptions<State = JsonObject> {
  /** Default: always. */
  readonly when?: When<State>;
  /** Higher ones are looked at first; 0 is the fallback, which always matches. Default 1. */
  readonly priority?: number;
  /** Chance among several that match at one priority. Default 1. */
  readonly weight?: number;
}

/** An edge of a graph, its condition read. */
export interface Edge {
  readonly to: string;
  readonly when?: When;
  /** The text of `when`, read. */
  readonly condition?: Condition;
  readonly priority: number;
  readonly weight: number;
}

/** True for what a builder's `build` gave, also one of another copy of the package. */
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
