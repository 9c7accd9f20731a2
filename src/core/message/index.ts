export { isLegalToolName } from './check-messages.js';
export type { ReplyEnd } from './finish-reason.js';
export type { Message, Role } from './message.js';
export { isSendable, toolRequestsOf } from './message.js';
export type { Part, ToolRequestPart, ToolResponsePart } from './part.js';
export type { Usage } from './usage.js';
export { addUsage } from './usage.js';
