// The public surface of the library. Everything here is documented and kept stable; nothing else is.

export type * from './core/index.js';
export {
  addUsage,
  allowedActions,
  canonicalJson,
  digestOf,
  emptyState,
  escapeText,
  evolve,
  fold,
  HitlError,
  isHitlError,
  openInterrupts,
  readTranscript,
  textOf,
  transcriptMessages,
} from './core/index.js';
export type {
  CheckResumeOptions,
  EngineEvent,
  GenerateEvent,
  GenerateRequest,
  GenerateResponse,
  Limits,
  OnToolError,
  ResumeItem,
  ResumeOptions,
  ResumeProblem,
  ResumeProblemKind,
  RunOptions,
  RunOutcome,
  Step,
} from './engine/index.js';
export { checkResume, nextStep, run } from './engine/index.js';
export type { GenerateOptions } from './library/index.js';
export { generate, systemClock } from './library/index.js';
export type { CreatedModel, CreateModelOptions, ModelMiddleware } from './models/index.js';
export { createModel, wrapModel } from './models/index.js';
export type { ConversationOptions, PostedAnswers, ReplEnd, ReplOptions, Rest } from './repl/index.js';
export { converse, record, repl } from './repl/index.js';
export type {
  BankOptions,
  BuiltinOptions,
  DefinedTool,
  InterruptDefinition,
  Schema,
  ToolDefinition,
  ToolHook,
  TypedToolContext,
} from './tools/index.js';
export {
  bankTools,
  builtinTools,
  cancel,
  defineInterrupt,
  defineTool,
  loadTools,
  reject,
  requireApproval,
  respond,
  restart,
  retry,
  toolSet,
  wrapTool,
} from './tools/index.js';
export type {
  AgentNode,
  BranchErrors,
  ChooseNode,
  CustomReducer,
  DrawOptions,
  EdgeOptions,
  Evaluation,
  Expectations,
  ExpectedPath,
  FunctionNode,
  GateOptions,
  Graph,
  GraphBuilder,
  GraphFileOptions,
  GraphOptions,
  GraphParts,
  GraphSettings,
  GraphStart,
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
  PathMode,
  Reducer,
  Reducers,
  RouteMeta,
  Score,
  SubgraphNode,
  ToolNode,
  Verdict,
  When,
} from './graph/index.js';
export { drawGraph, evaluateRun, graph, graphFromFile, readExpectations, runGraph } from './graph/index.js';
