import type { GatePoints, JsonObject, JsonValue } from '../../core/index.js';
import type {
  BranchErrors,
  FunctionOptions,
  Join,
  NodeOptions,
  OnConflict,
  SteerRules,
} from '../graph-definition.js';

type Output = Pick<NodeOptions, 'outputKey'>;

/** JSON Schemas of what a node begins with, and of its output. */
interface Checks {
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** What every node may have. */
type Common = Pick<NodeOptions, 'gate' | 'onError' | 'steer'>;
type Retried = Pick<NodeOptions, 'retry'>;

/** The nodes of a graph file, as they are written. */
export type FileNode = BareNode & Checks;

/** Without the schemas. */
export type BareNode =
  | (Common & Retried & Output & Pick<FunctionOptions, 'effect' | 'timeoutMs'> & FunctionFields)
  | (Common & SetFields)
  | (Common & Retried & Output & AgentFields)
  | (Common & Retried & Output & ToolFields)
  | (Common & Output & HumanFields)
  | (Common & Retried & Output & ChooseFields)
  | (Common & Retried & GroupFields)
  | (Common & Retried & Output & MapFields)
  | (Common & Retried & Output & SubgraphFields);

interface FunctionFields {
  readonly kind: 'function';
  readonly run: string;
}

interface SetFields {
  readonly kind: 'set';
  readonly set?: JsonObject | undefined;
  readonly unset?: readonly string[] | undefined;
}

interface AgentFields {
  readonly kind: 'agent';
  readonly agent?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly system?: string;
  readonly prompt?: string;
  readonly limits?: { readonly maxTurns?: number; readonly maxCostUsd?: number; readonly maxTimeMs?: number };
}

interface ToolFields {
  readonly kind: 'tool';
  readonly tool: string;
  readonly input?: JsonValue;
}

interface HumanFields {
  readonly kind: 'human';
  readonly prompt: string;
  readonly schema?: JsonObject;
  readonly payload?: JsonValue;
}

interface ChooseFields {
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

interface MapFields {
  readonly kind: 'map';
  readonly items: string;
  readonly worker: FileNode;
  readonly maxParallel?: number;
  readonly reduce?: string;
}

interface SubgraphFields {
  readonly kind: 'subgraph';
  readonly graph: string | FileGraph;
  readonly state?: 'shared' | 'isolated';
  readonly input?: JsonObject;
  readonly result?: JsonObject;
}

export interface FileEdge {
  readonly from: string;
  readonly to: string;
  readonly when?: string;
  readonly priority?: number;
  readonly weight?: number;
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
  readonly edges?: readonly FileEdge[];
}
