export type { ReplayDifference, ReplayReport } from './replay-check.js';
export { replayCheck } from './replay-check.js';
export { runWorkflow } from './run-workflow.js';
export type { TypedSchema } from './typed-schema.js';
export type { WorkflowCode, WorkflowOptions } from './workflow.js';
export { workflow } from './workflow.js';
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
  Workflow,
  WorkflowContext,
} from './workflow-context.js';
