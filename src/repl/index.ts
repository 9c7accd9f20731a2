export type { ConversationOptions, Flow, Rest } from './conversation.js';
export { converse } from './conversation.js';
export type { PromptLine } from './prompt-line.js';
export { readPromptLine } from './prompt-line.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl, userMessage } from './repl.js';
