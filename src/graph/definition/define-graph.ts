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

/** The schema of a state, as in zod 4 and others (Standard Schema): types and validates it. */
export type StateSchema<State> = TypedSchema<State>;

/** The options of a graph. */
export interface GraphOptions {
  /** Activations after which a person is asked whether to continue. Default: 50 (C-13). */
  readonly maxIterations?: number;
  /** Reducers for writes to keys that have a value (C-21). Default: a write replaces it. */
  readonly reducers?: Reducers;
  /** Stops before these nodes; `'*'` for all. */
  readonly interruptBefore?: GatePoints;
  readonly interruptAfter?: GatePoints;
  /** Whether an invalid condition fails the run. Default false: its edge does not match. */
  readonly strict?: boolean;
  /** Actions that messages may request; a node may override them. */
  readonly steer?: SteerRules;
  /**
   * Version of the definition, kept with each run: a whole number above 0. Raise it for changes that running sessions
   * must not continue with. Default: 1.
   */
  readonly version?: number;
  /** Further versions whose runs this one continues. Default: none. */
  readonly accepts?: readonly number[];
}

/** The parts of a node that its method accepts. In a typed state, the output has the type of the node’s key. */
type Parts<State, Node> = Omit<Node, 'kind' | (string extends keyof State ? never : 'outputKey')>;

/**
 * Builds a graph; every method returns the builder, and `build` validates it. If the state has a type, functions get it,
 * and `Names` are the nodes so far: declare nodes before the edges that name them; unknown names do not compile. Nodes
 * and graphs inside a node get the state as JSON.
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
  /** Adds a node of any kind, whose functions see the state as JSON. */
  node<Name extends string>(name: Name, node: NodeDefinition): GraphBuilder<State, Names | Name>;
  edge(from: Names, to: Names, options?: EdgeOptions<State>): GraphBuilder<State, Names>;
  /** Default: the first declared node. */
  start(name: Names): GraphBuilder<State, Names>;
  /** Nodes at which a run may end if no edge matches. */
  end(...names: readonly Names[]): GraphBuilder<State, Names>;
  /** @throws HitlError BAD_GRAPH with every problem that was found. */
  build(): Graph;
}

/** The options of a graph that is one workflow as code. */
export interface CodeGraphOptions extends GraphOptions {
  /** Gates of its operations, by name. */
  readonly gates?: Readonly<Record<string, GateSide>>;
}

/** Options of all builders: graphs, typed or not, and workflows as code. */
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
 * Starts a graph: add nodes and edges with its methods; `build` validates it. With a schema as `state`, nodes and edges
 * get the typed and validated state, and a typo in a node's name, a state key or a result's property does not compile.
 * `graph<State>(name)` has the types without the validation.
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

/** Creates the graph with one node of a workflow as code. @throws HitlError BAD_GRAPH for an invalid name */
export function codeGraph(name: string, node: WorkflowNode, options: CodeGraphOptions): Graph {
  return new Builder(name, options).node(name, node).end(name).build();
}

/** Also accepts what an untyped caller omits: `build` reports it. */
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

  /** Wraps a function to get the state parsed by the schema; returns `reads` itself without one. */
  #seeing<Rest extends readonly unknown[], Result>(
    reads: (state: object, ...rest: Rest) => Result,
  ): (state: JsonObject, ...rest: Rest) => Result {
    if (this.#options.state === undefined) return reads;
    return (state, ...rest) => reads(this.#seen(state), ...rest);
  }

  /**
   * Validates the state, which people, models and nodes write. @throws HitlError BAD_STATE if it violates the
   * schema.
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

/** The declared graph, without an outline. */
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

/** A gate whose node does not exist would stop nothing. */
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
      .map((name) => `\`${name}\` of \`gates\` cannot name an operation`),
    ...steerProblems('the graph', steer),
    ...(isCount ? [] : [`\`maxIterations\` is ${maxIterations}, and must be a whole number above 0`]),
    ...[...(version === undefined ? [] : [version]), ...accepts]
      .filter((one) => !Number.isInteger(one) || one < 1)
      .map((one) => `\`${one}\` is not a version: use a whole number above 0`),
  ];
}

function reducerProblems(reducers: Reducers): readonly string[] {
  return Object.entries(reducers).flatMap(([key, reducer]) => [
    ...(isReservedKey(key) ? [`the key \`${key}\` of \`reducers\` is reserved`] : []),
    ...(isReducer(reducer)
      ? []
      : [
          `there is no reducer \`${String(reducer)}\` for \`${key}\`; there are: ${BUILTIN_REDUCERS.join(', ')}`,
        ]),
  ]);
}

/** Returns gates on names that are not nodes, one line each. */
export function unknownGates(points: readonly GatePoints[], names: ReadonlySet<string>): readonly string[] {
  return points
    .flatMap((point) => (point === '*' ? [] : point))
    .filter((name) => !names.has(name))
    .map((name) => `there is no node \`${name}\` to stop at; there are: ${[...names].join(', ')}`);
}

/** The hint for a gate without a node. */
export const CHECK_GATES = 'check the names of the gates';

/** Returns gates that match no declared operation: `deploy#2` matches `deploy`. */
export function undeclared(gates: readonly string[], operations: readonly string[]): readonly string[] {
  return gates
    .filter((gate) => !operations.includes(nameOfKey(gate)))
    .map((gate) => `no operation is named \`${gate}\`; there are: ${operations.join(', ')}`);
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

/** A graph of one node, for running a branch. */
export function singleNode(name: string, node: NodeDefinition, reducers: Reducers): Graph {
  return graphOf({ name, nodes: [[name, node]], edges: [], start: name, ends: [name] }, { reducers });
}
