export { isLegalToolName } from './check-messages.js';
export type { Refusal, ReplyEnd } from './finish-reason.js';
export { mendedView } from './mended-view.js';
export type { Message, Role } from './message.js';
export { isSendable, toolRequestsOf } from './message.js';
export type { Part, ToolRequestPart, ToolResponsePart } from './part.js';
export type { ReplySettings } from './reply-settings.js';
export type { Usage } from './usage.js';
export { addUsage } from './usage.js';
