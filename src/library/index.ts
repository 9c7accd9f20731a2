export type { Chat, SayOptions } from './chat/chat.js';
export type { ChatOptions, NewChatOptions, OldChatOptions } from './chat/open-chat.js';
export { openChat } from './chat/open-chat.js';
export type {
  AgainOptions,
  Flow,
  FlowEvent,
  FlowMessage,
  FlowResult,
  FlowStartOptions,
  FlowState,
} from './flow/flow.js';
export type { FlowOptions, NewFlowOptions, OldFlowOptions } from './flow/open-flow.js';
export { openFlow } from './flow/open-flow.js';
export type { CreateModelOptions } from './create-model.js';
export { createModel } from './create-model.js';
export type { ConfiguredRules, HitlConfig, RuleOfPeople } from './define-config.js';
export { defineConfig } from './define-config.js';
export type { EndingOutput, GenerateOptions } from './generate.js';
export { generate } from './generate.js';
export type { EventsOptions, StopOptions } from './live/live-session.js';
export type { LiveRun } from './live/live-run.js';
export type { OpenStoreOptions } from './open-store.js';
export { openStore } from './open-store.js';
export { systemClock } from './system-clock.js';
export type * from './graph-types.js';
