import type { JsonValue, Model, ToolSet } from '../../core/index.js';
import type { AgentNode, Graph, NodeBody } from '../definition/graph-definition.js';
import type { CustomReducer } from '../state/reducers.js';

/** A graph file's name and format. */
export interface GraphFileOptions {
  /** The name to use in errors: `flow.yaml:4:7: ...`. */
  readonly file: string;
  /** Default: `json` if the name ends in `.json`, otherwise `yaml`. */
  readonly format?: 'yaml' | 'json';
}

/** The parts that a graph file refers to by name. */
export interface GraphParts {
  /** Functions for a function node's `run`. */
  readonly functions?: Readonly<Record<string, NodeBody>>;
  /** Tools for tool nodes, and for an agent's `tools`. */
  readonly tools?: ToolSet;
  /** Agents for an agent node's `agent`; the file can override individual properties. */
  readonly agents?: Readonly<Record<string, Omit<AgentNode, 'kind'>>>;
  /**
   * Creates the model with the ID in an agent node's `model`; called once per ID. @throws HitlError if it
   * does not exist.
   */
  readonly model?: (id: string) => Model | Promise<Model>;
  /** Custom reducers for `reducers`, in addition to the built-in ones. */
  readonly reducers?: Readonly<Record<string, CustomReducer>>;
  /** Functions for a map node's `reduce`. */
  readonly combiners?: Readonly<Record<string, (results: readonly JsonValue[]) => JsonValue>>;
  /** Graphs that subgraph nodes refer to by name. */
  readonly graphs?: Readonly<Record<string, Graph>>;
}
