import type { GatePoints, GateSide, OptionTable } from '../../core/index.js';
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
  FunctionNode,
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
  WorkflowNode,
} from './graph-definition.js';
import { EDGE_OPTIONS } from './option-rows.js';
import type { Reducers } from '../state/reducers.js';
import { BUILTIN_REDUCERS, isReducer } from '../state/reducers.js';

/** The settings of a whole graph. */
export interface GraphOptions {
  /** Activations after which a person is asked whether to go on. Default 50 (C-13). */
  readonly maxIterations?: number;
  /** The reducers of writes to a key that has a value (C-21). Default: they replace it. */
  readonly reducers?: Reducers;
  /** Stops before these nodes; `'*'` is all of them. */
  readonly interruptBefore?: GatePoints;
  readonly interruptAfter?: GatePoints;
  /** A condition that cannot be evaluated fails the run. Default false: its edge does not match. */
  readonly strict?: boolean;
  /** The actions that messages may ask of it; a node may say otherwise for itself. */
  readonly steer?: SteerRules;
  /**
   * The version of the definition, kept with each run: a whole number above 0. Raise it with a change that runs on the way
   * must not go on with. Default: 1.
   */
  readonly version?: number;
  /** The versions whose runs this one goes on with, beside its own. Default: none. */
  readonly accepts?: readonly number[];
}

type Without<Node> = Omit<Node, 'kind'>;

/** Puts a graph together; every method gives the builder back, and `build` checks the whole. */
export interface GraphBuilder {
  fn(name: string, run: NodeBody, options?: FunctionOptions): this;
  agent(name: string, agent: Without<AgentNode>): this;
  tool(name: string, tool: Without<ToolNode>): this;
  human(name: string, human: Without<HumanNode>): this;
  choose(name: string, choose: Without<ChooseNode>): this;
  group(name: string, group: Without<GroupNode>): this;
  map(name: string, map: Without<MapNode>): this;
  subgraph(name: string, subgraph: Without<SubgraphNode>): this;
  node(name: string, node: NodeDefinition): this;
  edge(from: string, to: string, options?: EdgeOptions): this;
  /** Default: the node that was declared first. */
  start(name: string): this;
  /** Nodes at which a run may stop where no edge matches. */
  end(...names: string[]): this;
  /** @throws HitlError BAD_GRAPH with every problem that was found. */
  build(): Graph;
}

/** The settings of a graph that is one workflow as code. */
export interface CodeGraphOptions extends GraphOptions {
  /** The gates of its operations, by their names. */
  readonly gates?: Readonly<Record<string, GateSide>>;
}

/** The options of a graph, and of the one node that a workflow as code is. */
const GRAPH_OPTIONS: OptionTable<CodeGraphOptions> = {
  maxIterations: NUMBER,
  reducers: OBJECT,
  interruptBefore: anyOf(LIST, oneOf('*')),
  interruptAfter: anyOf(LIST, oneOf('*')),
  strict: FLAG,
  steer: OBJECT,
  version: NUMBER,
  accepts: LIST,
  gates: OBJECT,
};

/** Begins a graph: nodes and edges are added by its methods, and `build` checks the whole. */
export function graph(name: string, options: GraphOptions = {}): GraphBuilder {
  return new Builder(name, options);
}

/** Makes the graph of one node that a workflow as code is. @throws HitlError BAD_GRAPH for a name that cannot name a node */
export function codeGraph(name: string, node: WorkflowNode, options: CodeGraphOptions): Graph {
  return new Builder(name, options).node(name, node).end(name).build();
}

class Builder implements GraphBuilder {
  readonly #name: string;
  readonly #options: CodeGraphOptions;
  readonly #nodes: [string, NodeDefinition][] = [];
  readonly #edges: [string, Edge][] = [];
  readonly #ends: string[] = [];
  /** What is wrong with options. */
  readonly #strange: string[] = [];
  #start: string | undefined;

  constructor(name: string, options: CodeGraphOptions) {
    this.#name = name;
    this.#options = options;
    this.#strange.push(...optionProblems('the graph', options, GRAPH_OPTIONS));
  }

  fn(name: string, run: NodeBody, options: FunctionOptions = {}): this {
    return this.node(name, { ...options, kind: 'function', run } satisfies FunctionNode);
  }

  agent(name: string, agent: Without<AgentNode>): this {
    return this.node(name, { ...agent, kind: 'agent' });
  }

  tool(name: string, tool: Without<ToolNode>): this {
    return this.node(name, { ...tool, kind: 'tool' });
  }

  human(name: string, human: Without<HumanNode>): this {
    return this.node(name, { ...human, kind: 'human' });
  }

  choose(name: string, choose: Without<ChooseNode>): this {
    return this.node(name, { ...choose, kind: 'choose' });
  }

  group(name: string, group: Without<GroupNode>): this {
    return this.node(name, { ...group, kind: 'group' });
  }

  map(name: string, map: Without<MapNode>): this {
    return this.node(name, { ...map, kind: 'map' });
  }

  subgraph(name: string, subgraph: Without<SubgraphNode>): this {
    return this.node(name, { ...subgraph, kind: 'subgraph' });
  }

  node(name: string, node: NodeDefinition): this {
    this.#nodes.push([name, node]);
    return this;
  }

  edge(from: string, to: string, options: EdgeOptions = {}): this {
    this.#strange.push(...optionProblems(`edge ${from} → ${to}`, options, EDGE_OPTIONS));
    const { when, priority = 1, weight = 1 } = options;
    const condition = typeof when === 'string' ? parseAt(`edge ${from} → ${to}`, when) : undefined;
    this.#edges.push([
      from,
      {
        to,
        priority,
        weight,
        ...(when !== undefined && { when }),
        ...(condition !== undefined && { condition }),
      },
    ]);
    return this;
  }

  start(name: string): this {
    this.#start = name;
    return this;
  }

  end(...names: string[]): this {
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
}

/** The graph that was declared, without an outline. */
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

/** A gate that is nowhere would let everything pass. */
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
      .map((one) => `\`${one}\` is no version: a whole number above 0 is`),
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

/** Gates on names that are no nodes, a line each. */
export function unknownGates(points: readonly GatePoints[], names: ReadonlySet<string>): readonly string[] {
  return points
    .flatMap((point) => (point === '*' ? [] : point))
    .filter((name) => !names.has(name))
    .map((name) => `there is no node \`${name}\` to stop at; there are: ${[...names].join(', ')}`);
}

/** The hint where a gate is nowhere. */
export const CHECK_GATES = 'check the names of the gates';

/** Says which gates name none of the operations that code declares: `deploy#2` names those of `deploy`. */
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

/** A graph of one node, as a branch runs it. */
export function singleNode(name: string, node: NodeDefinition, reducers: Reducers): Graph {
  return graphOf({ name, nodes: [[name, node]], edges: [], start: name, ends: [name] }, { reducers });
}
