export type { GraphBuilder, GraphOptions as GraphSettings } from './define-graph.js';
export { graph } from './define-graph.js';
export type {
  AgentNode,
  BranchErrors,
  CalledAgent,
  ChooseNode,
  EdgeOptions,
  FunctionNode,
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
  NodeResult,
  OnConflict,
  RouteMeta,
  SubgraphNode,
  ToolNode,
  When,
} from './graph-definition.js';
export type { CustomReducer, Reducer, Reducers } from './state/reducers.js';
export type { GraphOptions, GraphStart } from './run/graph-loop.js';
export type { GraphGuard, GuardedEdge, GuardedNode, GuardHold, GuardVerdict } from './gates/guards.js';
export type { RunObserver } from './run/run-observer.js';
export { runGraph } from './run-graph.js';
export { isGraph } from './is-graph.js';
export { mapTools, toolsAt, toolsOfGraph } from './graph-tools.js';
export type { GraphFileOptions, GraphParts } from './file/graph-parts.js';
export { graphFromFile } from './graph-from-file.js';
export type { ActionChosen, GraphSteering, MessageSituation } from './run/steering.js';
export type { DrawOptions } from './draw/draw-options.js';
export { drawGraph } from './draw/draw-graph.js';
export type { ExpectedPath, Expectations, PathMode } from './evaluate/expectations.js';
export { readExpectations } from './evaluate/expectations.js';
export type { Evaluation, Score, Verdict } from './evaluate/evaluate-run.js';
export { evaluateRun } from './evaluate/evaluate-run.js';
export type { NodeSchema } from './node-schema.js';
