export type { ConversationOptions, FlowRunner, Rest } from './conversation.js';
export { converse } from './conversation.js';
export type { Fork, ForkOptions } from './fork.js';
export { forkSession } from './fork.js';
export type { PromptLine } from './prompt-line.js';
export { readPromptLine } from './prompt-line.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl, userMessage } from './repl.js';
