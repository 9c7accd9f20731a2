export type { GraphBuilder, GraphOptions as GraphSettings, StateSchema } from './definition/define-graph.js';
export { graph } from './definition/define-graph.js';
export type {
  EdgeOptions,
  When,
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
  TypedPatch,
  TypedResult,
} from './definition/graph-definition.js';
export { isGraph } from './definition/graph-definition.js';
export type { RouteMeta } from './expression/expression-types.js';
export type { CustomReducer, Reducer, Reducers } from './state/reducers.js';
export type { ActionChosen, GraphOptions, GraphStart, GraphSteering, RunObserver } from './run/graph-loop.js';
export type { GraphGuard, GuardedEdge, GuardedNode, GuardHold, GuardVerdict } from './run/graph-guard.js';
export { runGraph } from './run-graph.js';
export type { DefinitionChange } from './definition/acceptance.js';
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
  TypedEvent,
  TypedQuestion,
  TypedTool,
  UntypedGraph,
  Workflow,
  WorkflowContext,
} from './workflow/workflow-context.js';
export type { ReplayDifference, ReplayReport } from './workflow/replay-check.js';
export { hasCode } from './definition/inner-nodes.js';
export { replayCheck } from './workflow/replay-check.js';
export type { TypedSchema, NodeSchema } from './definition/node-schema.js';
export type { WorkflowCode, WorkflowOptions } from './workflow/workflow.js';
export { workflow } from './workflow/workflow.js';
export type {
  RetryPolicy,
  StepContext as OperationContext,
  StepOptions,
} from './definition/code-operations.js';
export { mapTools, toolsAt, toolsOfGraph } from './graph-tools.js';
export { withCode } from './run/chat-options.js';
export type { GraphFileOptions, GraphParts } from './file/graph-parts.js';
export { graphFromFile } from './graph-from-file.js';
export type { DrawOptions, FlowProgress, NodeProgress } from './draw/picture.js';
export { flowProgress } from './draw/picture.js';
export { drawGraph } from './draw/draw-graph.js';
export { markOf } from './draw/progress.js';
export { signsOf } from './draw/labels.js';
export type { Evaluation, Expectations, Score, Verdict } from './evaluate-run.js';
export { evaluateRun, readExpectations } from './evaluate-run.js';
