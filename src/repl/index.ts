export type { ConversationOptions, Flow, Rest } from './conversation.js';
export { converse } from './conversation.js';
export { keep, record } from './record.js';
export type { ReplEnd, ReplOptions } from './repl.js';
export { repl } from './repl.js';
