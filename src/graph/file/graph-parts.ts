import type { JsonValue, Model, ToolSet } from '../../core/index.js';
import type { AgentNode, Graph, NodeBody } from '../definition/graph-definition.js';
import type { CustomReducer } from '../state/reducers.js';

/** The name of a graph file, and its format. */
export interface GraphFileOptions {
  /** For errors: `flow.yaml:4:7: ...`. */
  readonly file: string;
  /** Default: `json` for a file whose name ends in `.json`, else `yaml`. */
  readonly format?: 'yaml' | 'json';
}

/** The parts that a graph file can only name, by the names that it uses. */
export interface GraphParts {
  /** For `run` of function nodes. */
  readonly functions?: Readonly<Record<string, NodeBody>>;
  /** For tool nodes, and for `tools` of agents. */
  readonly tools?: ToolSet;
  /** For `agent` of agent nodes; what the file says beside it replaces what is here. */
  readonly agents?: Readonly<Record<string, Omit<AgentNode, 'kind'>>>;
  /** For `model` of agent nodes: makes the model that is called so, once for each name. @throws HitlError where there is none. */
  readonly model?: (id: string) => Model | Promise<Model>;
  /** For `reducers`, beside the built-in ones. */
  readonly reducers?: Readonly<Record<string, CustomReducer>>;
  /** For `reduce` of map nodes. */
  readonly combiners?: Readonly<Record<string, (results: readonly JsonValue[]) => JsonValue>>;
  /** For `graph` of subgraph nodes, where it is a name. */
  readonly graphs?: Readonly<Record<string, Graph>>;
}
