import type * as z from 'zod';

import type { GatePoints, JsonObject } from '../../core/index.js';
import type {
  BranchErrors,
  Join,
  NodeOptions,
  OnConflict,
  SteerRules,
} from '../definition/graph-definition.js';
import type { edgeSchema, SimpleNode } from './node-schemas.js';

/** JSON Schemas for a node's input and output. */
interface Checks {
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** A node as written in a graph file. */
export type FileNode = BareNode & Checks;

/** Without the schemas. */
export type BareNode = WithoutChecks<z.infer<SimpleNode>> | HoldingNode;

type WithoutChecks<Node> = Node extends unknown ? Omit<Node, keyof Checks> : never;

/** A node that contains other nodes. */
type HoldingNode = Pick<NodeOptions, 'gate' | 'onError' | 'steer' | 'retry'> &
  (ChooseFields | GroupFields | MapFields | SubgraphFields);

interface ChooseFields extends Pick<NodeOptions, 'outputKey'> {
  readonly kind: 'choose';
  readonly select: string;
  readonly candidates: Readonly<Record<string, FileNode>>;
  readonly fallback?: string;
}

interface GroupFields {
  readonly kind: 'group';
  readonly members: Readonly<Record<string, FileNode>>;
  readonly join?: Join;
  readonly onBranchError?: BranchErrors;
  readonly onConflict?: OnConflict;
}

interface MapFields extends Pick<NodeOptions, 'outputKey'> {
  readonly kind: 'map';
  readonly items: string;
  readonly worker: FileNode;
  readonly maxParallel?: number;
  readonly reduce?: string;
}

interface SubgraphFields extends Pick<NodeOptions, 'outputKey'> {
  readonly kind: 'subgraph';
  readonly graph: string | FileGraph;
  readonly state?: 'shared' | 'isolated';
  readonly input?: JsonObject;
  readonly result?: JsonObject;
}

/** A graph file. */
export interface FileGraph {
  readonly $schema?: string;
  readonly name: string;
  readonly start?: string;
  readonly end: string | readonly string[];
  readonly maxIterations?: number;
  readonly strict?: boolean;
  readonly reducers?: Readonly<Record<string, string>>;
  readonly interruptBefore?: GatePoints;
  readonly interruptAfter?: GatePoints;
  readonly steer?: SteerRules;
  readonly nodes: Readonly<Record<string, FileNode>>;
  readonly edges?: readonly z.infer<typeof edgeSchema>[];
}
