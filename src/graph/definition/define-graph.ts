import type { GatePoints, GateSide, JsonObject, OptionTable } from '../../core/index.js';
import {
  anyOf,
  FLAG,
  HitlError,
  isOperationName,
  isReservedKey,
  LIST,
  nameOfKey,
  NUMBER,
  OBJECT,
  oneOf,
  optionProblems,
  present,
  SCHEMA,
} from '../../core/index.js';
import { checkGraph, steerProblems } from './check-graph.js';
import { hashOf, outlineOf } from './graph-outline.js';
import { parseCondition } from '../expression/expression-parse.js';
import type {
  Edge,
  EdgeOptions,
  AgentNode,
  ChooseNode,
  Declared,
  Graph,
  GroupNode,
  HumanNode,
  MapNode,
  NodeBody,
  NodeDefinition,
  FunctionOptions,
  SteerRules,
  SubgraphNode,
  ToolNode,
  TypedResult,
  WorkflowNode,
} from './graph-definition.js';
import type { TypedSchema } from './node-schema.js';
import { schemaProblem } from './node-schema.js';
import { EDGE_OPTIONS } from './option-rows.js';
import type { Reducers } from '../state/reducers.js';
import { BUILTIN_REDUCERS, isReducer } from '../state/reducers.js';

/**
 * A state schema from zod 4 or another Standard Schema library. It determines the type of the state and
 * validates the state.
 */
export type StateSchema<State> = TypedSchema<State>;

/** Options for a graph. */
export interface GraphOptions {
  /** Number of activations after which a person is asked whether to continue. Default: 50 (C-13). */
  readonly maxIterations?: number;
  /** Reducers that merge a write into a key's existing value (C-21). Default: a write replaces the value. */
  readonly reducers?: Reducers;
  /** Nodes to stop before; `'*'` for all. */
  readonly interruptBefore?: GatePoints;
  readonly interruptAfter?: GatePoints;
  /**
   * Whether a condition that cannot be evaluated fails the run. Default: false, in which case the edge does
   * not match.
   */
  readonly strict?: boolean;
  /** Actions that messages may request. A node may override them. */
  readonly steer?: SteerRules;
  /**
   * Version of the definition, stored with each run: an integer above 0. Increase it for changes that must
   * not apply to running sessions. Default: 1.
   */
  readonly version?: number;
  /** Other versions whose runs this definition can continue. Default: none. */
  readonly accepts?: readonly number[];
}

/**
 * The options that a node's method accepts. In a graph with a typed state, the output has the type of the
 * state key named after the node.
 */
type Parts<State, Node> = Omit<Node, 'kind' | (string extends keyof State ? never : 'outputKey')>;

/**
 * Builds a graph. Every method returns the builder, and `build` validates the result. With a typed state,
 * functions receive the state with that type, and `Names` contains the nodes declared so far. Declare nodes
 * before the edges that refer to them, because unknown names do not compile. Nodes and graphs inside a node
 * receive the state as JSON.
 */
export interface GraphBuilder<State extends object = JsonObject, Names extends string = string> {
  fn<Name extends string>(
    name: Name,
    run: NodeBody<State, TypedResult<State, Name>>,
    options?: Parts<State, FunctionOptions>,
  ): GraphBuilder<State, Names | Name>;
  agent<Name extends string>(
    name: Name,
    agent: Parts<State, AgentNode<State>>,
  ): GraphBuilder<State, Names | Name>;
  tool<Name extends string>(
    name: Name,
    tool: Parts<State, ToolNode<State>>,
  ): GraphBuilder<State, Names | Name>;
  human<Name extends string>(
    name: Name,
    human: Parts<State, HumanNode<State>>,
  ): GraphBuilder<State, Names | Name>;
  choose<Name extends string>(
    name: Name,
    choose: Parts<State, ChooseNode<State>>,
  ): GraphBuilder<State, Names | Name>;
  group<Name extends string>(name: Name, group: Parts<State, GroupNode>): GraphBuilder<State, Names | Name>;
  map<Name extends string>(name: Name, map: Parts<State, MapNode<State>>): GraphBuilder<State, Names | Name>;
  subgraph<Name extends string>(
    name: Name,
    subgraph: Parts<State, SubgraphNode<State>>,
  ): GraphBuilder<State, Names | Name>;
  /** Adds a node of any kind; its functions receive the state as JSON. */
  node<Name extends string>(name: Name, node: NodeDefinition): GraphBuilder<State, Names | Name>;
  edge(from: Names, to: Names, options?: EdgeOptions<State>): GraphBuilder<State, Names>;
  /** Sets the start node. Default: the first declared node. */
  start(name: Names): GraphBuilder<State, Names>;
  /** Adds nodes at which a run may end if no edge matches. */
  end(...names: readonly Names[]): GraphBuilder<State, Names>;
  /**
   * Validates and returns the graph.
   * @throws HitlError BAD_GRAPH listing every problem found.
   */
  build(): Graph;
}

/** Options for a graph that consists of one workflow written as code. */
export interface CodeGraphOptions extends GraphOptions {
  /** Gates on its operations, by name. */
  readonly gates?: Readonly<Record<string, GateSide>>;
}

/** Options for every builder, whether it builds a typed graph, an untyped graph or a workflow as code. */
interface BuilderOptions extends CodeGraphOptions {
  readonly state?: StateSchema<object>;
}

const GRAPH_OPTIONS: OptionTable<BuilderOptions> = {
  maxIterations: NUMBER,
  reducers: OBJECT,
  interruptBefore: anyOf(LIST, oneOf('*')),
  interruptAfter: anyOf(LIST, oneOf('*')),
  strict: FLAG,
  steer: OBJECT,
  version: NUMBER,
  accepts: LIST,
  gates: OBJECT,
  state: SCHEMA,
};

/**
 * Starts a graph. Add nodes and edges with its methods; `build` validates it. With a schema as `state`, nodes
 * and edges receive a validated, typed state, and a typo in a node name, a state key or a result property
 * does not compile. `graph<State>(name)` provides the types without validation.
 */
export function graph<State extends object>(
  name: string,
  options: GraphOptions & { readonly state: StateSchema<State> },
): GraphBuilder<State, never>;
export function graph(name: string, options?: GraphOptions): GraphBuilder;
export function graph<State extends object>(name: string, options?: GraphOptions): GraphBuilder<State, never>;
export function graph(name: string, options: BuilderOptions = {}): GraphBuilder<object> {
  return new Builder(name, options);
}

/**
 * Creates the graph for a workflow as code, with a single node. @throws HitlError BAD_GRAPH for an invalid
 * name
 */
export function codeGraph(name: string, node: WorkflowNode, options: CodeGraphOptions): Graph {
  return new Builder(name, options).node(name, node).end(name).build();
}

/** Builds a graph. Accepts missing values from untyped callers; `build` reports them. */
class Builder implements GraphBuilder<object> {
  readonly #name: string;
  readonly #options: BuilderOptions;
  readonly #nodes: [string, NodeDefinition][] = [];
  readonly #edges: [string, Edge][] = [];
  readonly #ends: string[] = [];
  /** Problems of options. */
  readonly #strange: string[] = [];
  #start: string | undefined;

  constructor(name: string, options: BuilderOptions) {
    this.#name = name;
    this.#options = options;
    this.#strange.push(...optionProblems('the graph', options, GRAPH_OPTIONS));
  }

  fn(name: string, run: NodeBody<object>, options: FunctionOptions = {}): this {
    return this.node(name, { ...options, kind: 'function', run: this.#seeing(run) });
  }

  agent(name: string, agent: Parts<JsonObject, AgentNode<object>>): this {
    const { prompt, ...node } = { ...agent };
    return this.node(name, { ...node, kind: 'agent', ...(prompt && { prompt: this.#seeing(prompt) }) });
  }

  tool(name: string, tool: Parts<JsonObject, ToolNode<object>>): this {
    const { input, ...node } = { ...tool };
    return this.node(name, { ...node, kind: 'tool', input: this.#seeing(input) });
  }

  human(name: string, human: Parts<JsonObject, HumanNode<object>>): this {
    const { question, ...node } = { ...human };
    return this.node(name, { ...node, kind: 'human', question: this.#seeing(question) });
  }

  choose(name: string, choose: Parts<JsonObject, ChooseNode<object>>): this {
    const { select, ...node } = { ...choose };
    return this.node(name, { ...node, kind: 'choose', select: this.#seeing(select) });
  }

  group(name: string, group: Parts<JsonObject, GroupNode>): this {
    return this.node(name, { ...group, kind: 'group' });
  }

  map(name: string, map: Parts<JsonObject, MapNode<object>>): this {
    const { items, reduce, ...node } = { ...map };
    return this.node(name, {
      ...node,
      kind: 'map',
      items: this.#seeing(items),
      ...(reduce && { reduce: (results, state) => reduce(results, this.#seen(state)) }),
    });
  }

  subgraph(name: string, subgraph: Parts<JsonObject, SubgraphNode<object>>): this {
    const { input, ...node } = { ...subgraph };
    return this.node(name, { ...node, kind: 'subgraph', ...(input && { input: this.#seeing(input) }) });
  }

  node(name: string, node: NodeDefinition): this {
    this.#nodes.push([name, node]);
    return this;
  }

  edge(from: string, to: string, options: EdgeOptions<object> = {}): this {
    this.#strange.push(...optionProblems(`edge ${from} → ${to}`, options, EDGE_OPTIONS));
    const { when, priority = 1, weight = 1 } = options;
    const condition = typeof when === 'string' ? parseAt(`edge ${from} → ${to}`, when) : undefined;
    this.#edges.push([
      from,
      {
        to,
        priority,
        weight,
        ...(when !== undefined && { when: typeof when === 'function' ? this.#seeing(when) : when }),
        ...(condition !== undefined && { condition }),
      },
    ]);
    return this;
  }

  start(name: string): this {
    this.#start = name;
    return this;
  }

  end(...names: readonly string[]): this {
    this.#ends.push(...names);
    return this;
  }

  build(): Graph {
    const start = this.#start ?? this.#nodes[0]?.[0];
    const declared = {
      name: this.#name,
      nodes: this.#nodes,
      edges: this.#edges,
      start,
      ends: this.#ends,
    };
    const problems =
      this.#strange.length > 0
        ? this.#strange
        : [...checkGraph(declared), ...settingProblems(this.#options, this.#nodes)];
    if (problems.length > 0 || start === undefined) {
      throw new HitlError('BAD_GRAPH', `graph \`${this.#name}\`: ${problems.join('; ')}`, {
        detail: { problems },
      });
    }
    const { version, gates } = this.#options;
    return {
      ...graphOf({ ...declared, start }, this.#options),
      outline: outlineOf(declared, present({ version, gates })),
    };
  }

  /**
   * Wraps a function so that it receives the state parsed by the schema. Returns `reads` unchanged if there
   * is no schema.
   */
  #seeing<Rest extends readonly unknown[], Result>(
    reads: (state: object, ...rest: Rest) => Result,
  ): (state: JsonObject, ...rest: Rest) => Result {
    if (this.#options.state === undefined) return reads;
    return (state, ...rest) => reads(this.#seen(state), ...rest);
  }

  /**
   * Validates the state, because people, models and nodes can write to it. @throws HitlError BAD_STATE if it
   * does not match the schema.
   */
  #seen(state: JsonObject): object {
    const { state: schema } = this.#options;
    if (schema === undefined) return state;
    const result = schema['~standard'].validate(state);
    if (!(result instanceof Promise) && 'value' in result) return result.value;
    throw new HitlError(
      'BAD_STATE',
      `the state is invalid: ${schemaProblem(schema, state) ?? 'no reason given'}`,
    );
  }
}

/** Creates the declared graph, without an outline. */
function graphOf(declared: Declared & { readonly start: string }, options: GraphOptions): Graph {
  const { name, start } = declared;
  const { maxIterations = 50, reducers = {}, strict = false, steer, accepts } = options;
  const { interruptBefore: before = [], interruptAfter: after = [] } = options;
  const edges: Record<string, Edge[]> = {};
  for (const [from, edge] of declared.edges) (edges[from] ??= []).push(edge);
  return {
    name,
    nodes: Object.fromEntries(declared.nodes),
    edges,
    start,
    ends: new Set(declared.ends),
    reducers,
    maxIterations,
    before,
    after,
    gates: gatesOf(declared.nodes),
    strict,
    hash: hashOf(declared),
    ...present({ steer, accepts }),
  };
}

/**
 * Lists the problems in a graph's settings, such as a gate on a missing node. Such a gate would never stop
 * the run.
 */
function settingProblems(
  {
    interruptBefore = [],
    interruptAfter = [],
    maxIterations = 50,
    reducers = {},
    steer,
    version,
    accepts = [],
    gates = {},
  }: CodeGraphOptions,
  nodes: Declared['nodes'],
): readonly string[] {
  const isCount = Number.isInteger(maxIterations) && maxIterations > 0;
  return [
    ...unknownGates([interruptBefore, interruptAfter], new Set(nodes.map(([name]) => name))),
    ...reducerProblems(reducers),
    ...Object.keys(gates)
      .filter((name) => !isOperationName(nameOfKey(name)))
      .map((name) => `\`${name}\` in \`gates\` is not a valid operation name`),
    ...steerProblems('the graph', steer),
    ...(isCount ? [] : [`\`maxIterations\` must be a whole number above 0, got ${maxIterations}`]),
    ...[...(version === undefined ? [] : [version]), ...accepts]
      .filter((one) => !Number.isInteger(one) || one < 1)
      .map((one) => `invalid version \`${one}\`: use a whole number above 0`),
  ];
}

function reducerProblems(reducers: Reducers): readonly string[] {
  return Object.entries(reducers).flatMap(([key, reducer]) => [
    ...(isReservedKey(key) ? [`the key \`${key}\` in \`reducers\` is reserved`] : []),
    ...(isReducer(reducer)
      ? []
      : [
          `unknown reducer \`${String(reducer)}\` for \`${key}\`; known reducers: ${BUILTIN_REDUCERS.join(', ')}`,
        ]),
  ]);
}

/** Lists gates on nodes that do not exist, one line each. */
export function unknownGates(points: readonly GatePoints[], names: ReadonlySet<string>): readonly string[] {
  return points
    .flatMap((point) => (point === '*' ? [] : point))
    .filter((name) => !names.has(name))
    .map((name) => `cannot stop at unknown node \`${name}\`; known nodes: ${[...names].join(', ')}`);
}

/** Hint for a gate on a node that does not exist. */
export const CHECK_GATES = 'check the gate names';

/**
 * Lists gates that do not match any declared operation, one line each. A gate on `deploy#2` matches `deploy`.
 */
export function undeclared(gates: readonly string[], operations: readonly string[]): readonly string[] {
  return gates
    .filter((gate) => !operations.includes(nameOfKey(gate)))
    .map((gate) => `unknown operation \`${gate}\`; known operations: ${operations.join(', ')}`);
}

function parseAt(place: string, text: string): ReturnType<typeof parseCondition> {
  try {
    return parseCondition(text);
  } catch (cause) {
    if (!(cause instanceof HitlError)) throw cause;
    throw new HitlError('BAD_GRAPH', `${place}: ${cause.message}`, {
      ...(cause.hint !== undefined && { hint: cause.hint }),
      cause,
    });
  }
}

function gatesOf(nodes: Declared['nodes']): Graph['gates'] {
  const texts = nodes.flatMap(([name, { gate }]) =>
    gate?.when === undefined ? [] : [[name, gate.when] as const],
  );
  return new Map(texts.map(([name, text]) => [name, parseCondition(text)]));
}

/** Creates a graph with one node, for running a branch. */
export function singleNode(name: string, node: NodeDefinition, reducers: Reducers): Graph {
  return graphOf({ name, nodes: [[name, node]], edges: [], start: name, ends: [name] }, { reducers });
}
