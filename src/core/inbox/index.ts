export type { ActionChoice } from './action-choice.js';
export type { InboxOutcome } from './inbox-event.js';
export type { InboxItem } from './inbox-item.js';
