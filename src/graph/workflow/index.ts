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
  TypedSchema,
  TypedTool,
  UntypedGraph,
  Workflow,
  WorkflowContext,
} from './code/index.js';
export type { ReplayDifference, ReplayReport } from './replay-check.js';
export { begunAt, frameOfRun, replayCheck, replayOf } from './replay-check.js';
export { runWorkflow } from './run-workflow.js';
export type { WorkflowCode, WorkflowOptions } from './workflow.js';
export { workflow } from './workflow.js';
