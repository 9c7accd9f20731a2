import type { JsonValue, Model, ToolSet } from '../../core/index.js';
import type { AgentNode, Graph, NodeBody } from '../definition/graph-definition.js';
import type { CustomReducer } from '../state/reducers.js';

/** Name and format of a graph file. */
export interface GraphFileOptions {
  /** For errors: `flow.yaml:4:7: ...`. */
  readonly file: string;
  /** Default: `json` for a name ending in `.json`, otherwise `yaml`. */
  readonly format?: 'yaml' | 'json';
}

/** Parts that a graph file can refer to only by name. */
export interface GraphParts {
  /** For `run` of function nodes. */
  readonly functions?: Readonly<Record<string, NodeBody>>;
  /** For tool nodes, and for agents' `tools`. */
  readonly tools?: ToolSet;
  /** For `agent` of agent nodes; the file overrides single properties. */
  readonly agents?: Readonly<Record<string, Omit<AgentNode, 'kind'>>>;
  /** For `model` of agent nodes: creates the named model, once per name. @throws HitlError if it does not exist. */
  readonly model?: (id: string) => Model | Promise<Model>;
  /** For `reducers`, in addition to the built-in ones. */
  readonly reducers?: Readonly<Record<string, CustomReducer>>;
  /** For `reduce` of map nodes. */
  readonly combiners?: Readonly<Record<string, (results: readonly JsonValue[]) => JsonValue>>;
  /** For named graphs of subgraph nodes. */
  readonly graphs?: Readonly<Record<string, Graph>>;
}
