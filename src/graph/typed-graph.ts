import type { JsonObject, JsonValue } from '../core/index.js';
import { HitlError } from '../core/index.js';
import type { GraphBuilder, GraphOptions } from './definition/define-graph.js';
import { graph } from './definition/define-graph.js';
import type {
  EdgeOptions,
  AgentNode,
  FunctionOptions,
  Graph,
  HumanNode,
  MapNode,
  NodeContext,
  NodeDefinition,
  NodeQuestion,
} from './definition/graph-definition.js';
import type { RouteMeta } from './expression/expression-types.js';
import type { TypedSchema } from './definition/node-schema.js';
import { schemaProblem } from './definition/node-schema.js';

/** The schema of a state, as zod 4 and others have it (Standard Schema); it says its type and checks what is there. */
export type StateSchema<State> = TypedSchema<State>;

/** The things that a node may give: its output, typed where the state has a key of its name, or a result. */
export type TypedResult<State, Name extends string> =
  | (Name extends keyof State ? State[Name] : string | number | boolean | null | readonly JsonValue[])
  | TypedPatch<State, Name>
  | undefined;

/** A result whose members are known: an output, changes of the state, or both. */
export interface TypedPatch<State, Name extends string> {
  readonly output?: Name extends keyof State ? State[Name] : JsonValue;
  readonly patch?: Partial<State>;
  readonly unset?: readonly (keyof State & string)[];
}

type Options<Node, Own extends keyof Node> = Omit<Node, 'kind' | 'outputKey' | Own>;

/** A graph whose state has a type: nodes are declared before edges name them, and a name that is none does not compile. */
export class TypedGraph<State extends object, Names extends string = never> {
  readonly #builder: GraphBuilder;
  readonly #schema: StateSchema<State>;

  constructor(builder: GraphBuilder, schema: StateSchema<State>) {
    this.#builder = builder;
    this.#schema = schema;
  }

  fn<Name extends string>(
    name: Name,
    run: (
      state: Readonly<State>,
      context: NodeContext,
    ) => TypedResult<State, Name> | Promise<TypedResult<State, Name>>,
    options: Omit<FunctionOptions, 'outputKey'> = {},
  ): TypedGraph<State, Names | Name> {
    this.#builder.fn(name, (state, context) => run(this.#read(state), context), options);
    return this.#with();
  }

  human<Name extends string>(
    name: Name,
    node: Options<HumanNode, 'question'> & {
      readonly question: (
        state: Readonly<State>,
        context: Pick<NodeContext, 'errors' | 'guidance'>,
      ) => NodeQuestion;
    },
  ): TypedGraph<State, Names | Name> {
    const { question, ...rest } = node;
    this.#builder.human(name, {
      ...rest,
      question: (state, context) => question(this.#read(state), context),
    });
    return this.#with();
  }

  agent<Name extends string>(
    name: Name,
    node: Options<AgentNode, 'prompt'> & { readonly prompt: (state: Readonly<State>) => string },
  ): TypedGraph<State, Names | Name> {
    const { prompt, ...rest } = node;
    this.#builder.agent(name, { ...rest, prompt: (state) => prompt(this.#read(state)) });
    return this.#with();
  }

  map<Name extends string>(
    name: Name,
    node: Options<MapNode, 'items' | 'reduce'> & {
      readonly items: (state: Readonly<State>) => readonly JsonValue[];
      readonly reduce?: (results: readonly JsonValue[], state: Readonly<State>) => JsonValue;
    },
  ): TypedGraph<State, Names | Name> {
    const { items, reduce, ...rest } = node;
    this.#builder.map(name, {
      ...rest,
      items: (state) => items(this.#read(state)),
      ...(reduce && { reduce: (results, state) => reduce(results, this.#read(state)) }),
    });
    return this.#with();
  }

  /** A node of any kind, whose functions see the state as JSON. */
  node<Name extends string>(name: Name, node: NodeDefinition): TypedGraph<State, Names | Name> {
    this.#builder.node(name, node);
    return this.#with();
  }

  edge(
    from: Names,
    to: Names,
    options: Omit<EdgeOptions, 'when'> & {
      readonly when?: string | ((state: Readonly<State>, meta: RouteMeta) => boolean);
    } = {},
  ): this {
    const { when, ...rest } = options;
    const typed =
      typeof when === 'function'
        ? (state: JsonObject, meta: RouteMeta) => when(this.#read(state), meta)
        : when;
    this.#builder.edge(from, to, { ...rest, ...(typed !== undefined && { when: typed }) });
    return this;
  }

  start(name: Names): this {
    this.#builder.start(name);
    return this;
  }

  end(...names: readonly Names[]): this {
    this.#builder.end(...names);
    return this;
  }

  /** @throws HitlError BAD_GRAPH with every problem that was found. */
  build(): Graph {
    return this.#builder.build();
  }

  #with<Name extends string>(): TypedGraph<State, Names | Name> {
    return new TypedGraph(this.#builder, this.#schema);
  }

  /** Checks what people, models and other nodes wrote. @throws HitlError BAD_STATE where it is not what was declared. */
  #read(state: JsonObject): State {
    const result = this.#schema['~standard'].validate(state);
    if (!(result instanceof Promise) && 'value' in result) return result.value;
    throw new HitlError(
      'BAD_STATE',
      `the state does not fit: ${schemaProblem(this.#schema, state) ?? 'no reason given'}`,
    );
  }
}

/**
 * Begins a graph whose state has a schema: its nodes see it typed and checked, and a typo in the name of a node, a key of
 * the state or a member of a result does not compile.
 */
export function typedGraph<State extends object>(
  name: string,
  state: StateSchema<State>,
  options: GraphOptions = {},
): TypedGraph<State> {
  return new TypedGraph(graph(name, options), state);
}
