export { AnswerInbox } from './answer-inbox.js';
export { inboxFile } from './inbox-file.js';
export { inboxInMemory } from './inbox-memory.js';
export type { InboxPlace, InboxReading } from './inbox-place.js';
export type { InboxRecord } from './inbox-record.js';
export { isInboxRecord } from './inbox-record.js';
export { MessageInbox } from './message-inbox.js';
export { MessageQueue } from './message-queue.js';
export { fateOfAnswer, postAnswer } from './post-answer.js';
