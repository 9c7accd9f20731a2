export type { GraphBuilder, GraphOptions as GraphSettings } from './define-graph.js';
export { graph } from './define-graph.js';
export type { EdgeOptions, When } from './edge.js';
export type { RouteMeta } from './expression/index.js';
export type {
  AgentNode,
  BranchErrors,
  CalledAgent,
  ChooseNode,
  FunctionNode,
  FunctionOptions,
  GateOptions,
  Graph,
  GroupNode,
  HumanNode,
  Join,
  MapNode,
  NodeBody,
  NodeContext,
  NodeDefinition,
  NodeOptions,
  NodeQuestion,
  RetryOptions,
  NodeResult,
  OnConflict,
  SubgraphNode,
  ToolNode,
} from './graph-definition.js';
export type { CustomReducer, Reducer, Reducers } from './state/index.js';
export type { ActionChosen, GraphOptions, GraphStart, GraphSteering, RunObserver } from './run/index.js';
export type { GraphGuard, GuardedEdge, GuardedNode, GuardHold, GuardVerdict } from './gates/index.js';
export { runGraph } from './run-graph.js';
export type { DefinitionChange } from './definition/index.js';
export type { Migration, MovedPart } from './migration.js';
export { migrationEvents, migrationOf } from './migration.js';
export type {
  AgentOptions,
  Branches,
  BranchOptions,
  BranchOutcomes,
  BranchResults,
  EventOptions,
  Moment,
  PlainQuestion,
  ReplayDifference,
  ReplayReport,
  TypedEvent,
  TypedQuestion,
  TypedSchema,
  TypedTool,
  UntypedGraph,
  Workflow,
  WorkflowCode,
  WorkflowContext,
  WorkflowOptions,
} from './workflow/index.js';
export { replayCheck, workflow } from './workflow/index.js';
export type { RetryPolicy, StepContext as OperationContext, StepOptions } from './operations.js';
export { isGraph } from './is-graph.js';
export { mapTools, toolsAt, toolsOfGraph } from './graph-tools.js';
export { withCode } from './nodes/index.js';
export type { GraphFileOptions, GraphParts } from './file/index.js';
export { graphFromFile } from './graph-from-file.js';
export type { DrawOptions, FlowProgress, NodeProgress } from './draw/index.js';
export { drawGraph, flowProgress, markOf, signsOf } from './draw/index.js';
export type { Evaluation, Expectations, Score, Verdict } from './evaluate/index.js';
export { evaluateRun, readExpectations } from './evaluate/index.js';
export type { NodeSchema } from './node-schema.js';
export type { StateSchema, TypedPatch, TypedResult } from './typed-graph.js';
export { TypedGraph, typedGraph } from './typed-graph.js';
