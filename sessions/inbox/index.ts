export { AnswerInbox } from './answer-inbox.js';
export { inboxFile } from './inbox-file.js';
export { inboxInMemory } from './inbox-memory.js';
export type { InboxPlace } from './inbox-place.js';
export { MessageInbox } from './message-inbox.js';
export { MessageQueue } from './message-queue.js';
export { fateOfAnswer, postAnswer } from './post-answer.js';
