export type { ActionChoice } from './action-choice.js';
export type { InboxOutcome } from './inbox-event.js';
export type { ControlVerb, InboxItem, InboxMessage, MessagePriority, OutsideEvent } from './inbox-item.js';
export type { RunInbox } from './run-inbox.js';
