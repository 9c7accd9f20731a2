export { AnswerInbox } from './answer-inbox.js';
export type { ControlDraft, MessageDraft } from './message-draft.js';
export { MessageInbox } from './message-inbox.js';
export type { MessageMetrics } from './message-metrics.js';
export type { MessagePage, PageRequest } from './message-page.js';
export type { SendOptions, SentMessage } from './message-queue.js';
export { MessageQueue } from './message-queue.js';
export type { AnswerFate, AnswerReceipt } from './post-answer.js';
export { fateOfAnswer, postAnswer, waitForResolution } from './post-answer.js';
