export type { Chat, ChatOptions, NewChatOptions, OldChatOptions, SayOptions } from './chat/index.js';
export { openChat } from './chat/index.js';
export type {
  AgainOptions,
  Flow,
  FlowEvent,
  FlowMessage,
  FlowOptions,
  FlowResult,
  FlowStartOptions,
  FlowState,
  NewFlowOptions,
  OldFlowOptions,
} from './flow/index.js';
export { openFlow } from './flow/index.js';
export type { CreateModelOptions } from './create-model.js';
export { createModel } from './create-model.js';
export type { ConfiguredRules, HitlConfig, RuleOfPeople } from './define-config.js';
export { defineConfig } from './define-config.js';
export type { EndingOutput, GenerateOptions } from './generate.js';
export { generate } from './generate.js';
export type { EventsOptions, LiveRun, StopOptions } from './live/index.js';
export type { OpenStoreOptions } from './open-store.js';
export { openStore } from './open-store.js';
export { systemClock } from './system-clock.js';
export type * from './graph-types.js';
