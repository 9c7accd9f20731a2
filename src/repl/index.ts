export type { ConversationOptions, PostedAnswers, Rest } from './conversation.js';
export { converse, resolvedEvent } from './conversation.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl } from './repl.js';
export type { PromptLine } from './slash-commands.js';
export { readPromptLine } from './slash-commands.js';
