export type { ConversationOptions, Flow, PostedAnswers, Rest } from './conversation.js';
export { converse, resolvedEvent } from './conversation.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl } from './repl.js';
