export type {
  AgainOptions,
  Flow,
  FlowEvent,
  FlowMessage,
  FlowResult,
  FlowStartOptions,
  FlowState,
} from './flow.js';
export type { FlowOptions, NewFlowOptions, OldFlowOptions } from './open-flow.js';
export { openFlow } from './open-flow.js';
