export type { ConversationOptions, FlowRunner, Rest } from './conversation.js';
export { converse } from './conversation.js';
export { eventsOf } from './events-of.js';
export type {
  ChatBack,
  Fork,
  ForkOptions,
  GoingBack,
  OnceAgain,
  OwnEffect,
  RewoundBy,
  ToolEffect,
} from './back/index.js';
export {
  chatBack,
  effectsOf,
  forkSession,
  goingBack,
  onceAgain,
  ownEffectsOf,
  rewoundEvent,
  startOf,
} from './back/index.js';
export type { PromptLine } from './prompt-line.js';
export { readPromptLine } from './prompt-line.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl, userMessage } from './repl.js';
