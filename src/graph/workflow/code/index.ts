export { Context } from './context.js';
export { ANY_STATE, checked, LiveState } from './live-state.js';
export type { TypedSchema } from './typed-schema.js';
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
} from './workflow-context.js';
