import type { ControlVerb, InboxMessage, MessagePriority, OutsideEvent } from '../state/inbox-item.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';

/** A message to send. */
export interface MessageDraft {
  /** At most 10,000 characters, not only white space. */
  readonly text: string;
  readonly from: Actor;
  /** Idempotency key: a repeated id is ignored. Default: a new id. */
  readonly id?: string;
  /** The requested action; at most 100,000 bytes as JSON. Default: the reader interprets the text. */
  readonly action?: Resolution;
  /** An event, at most 100,000 bytes as JSON; delivered only to a wait for its name. */
  readonly event?: OutsideEvent;
  /** Default `normal`. */
  readonly priority?: MessagePriority;
  /** The addressed node: `review`, `review@2`, `outer/review`. Default: the current one. */
  readonly target?: string;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** A verb to send. */
export interface ControlDraft {
  readonly verb: ControlVerb;
  readonly from: Actor;
  readonly id?: string;
  readonly reason?: string;
}

/** The options of sending a message. */
export interface SendOptions {
  /** Maximum number of waiting messages. Default 100. */
  readonly maxQueue?: number;
  /**
   * What to do if the queue is full: refuse; drop the newest message of the lowest priority, if that is lower; or
   * wait this many milliseconds for room, then refuse. Default `reject`.
   */
  readonly overflow?: 'reject' | 'drop-lowest' | { readonly waitMs: number };
  /** Actions that messages may request; `[]` for none. Default: those of a gate. */
  readonly allowedActions?: readonly ResolutionAction[];
}

/** A sent message. */
export interface SentMessage {
  readonly id: string;
  readonly seq: number;
  /** Number of waiting messages. */
  readonly depth: number;
  /** False if a message with this id had already been sent; this one was ignored. */
  readonly isNew: boolean;
  /** The message that was dropped for it. */
  readonly evicted?: string;
}

/** The requested part of a queue. */
export interface PageRequest {
  /** From 1. Default 1. */
  readonly page?: number;
  /** 1 to 1000; other values are limited to that. Default 50. */
  readonly pageSize?: number;
  /** `next` of the previous page, instead of `page`: every message still waiting appears once. */
  readonly after?: string;
}

/** A part of a queue at one time. */
export interface MessagePage {
  readonly items: readonly InboxMessage[];
  /** Total number of waiting messages. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasNext: boolean;
  /** Cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** Statistics of a queue. */
export interface MessageMetrics {
  /** Accepted messages: delivered, dropped, expired or waiting. */
  readonly queued: number;
  readonly delivered: number;
  /** Withdrawn, or dropped for a higher priority. */
  readonly dropped: number;
  readonly expired: number;
  /** Refused because the queue was full. */
  readonly rejected: number;
  /** Delivered, but the run could not do what they asked. */
  readonly refused: number;
  readonly pauses: number;
  readonly resumes: number;
  readonly cancels: number;
  readonly depth: number;
  readonly maxDepth: number;
  /** Milliseconds that the session waited for answers: in total, and for the last one. */
  readonly waitMs: { readonly total: number; readonly last: number };
  /** ISO 8601: when the first was sent; absent before that. */
  readonly createdAt?: string;
  /** ISO 8601: when something was last sent, delivered or dropped. Reading does not count. */
  readonly lastActivityAt?: string;
}

/** The messages of a session, for senders and readers in any process. */
export interface SessionMail {
  /**
   * Sends a message; durable when it resolves.
   * @throws HitlError BAD_INPUT, QUEUE_FULL, SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if others do not release
   * the lock
   */
  send(draft: MessageDraft, options: SendOptions, signal: AbortSignal): Promise<SentMessage>;
  /** Sends a verb, which the run reads at its next safe point before waiting messages. Errors as for `send`. */
  control(draft: ControlDraft, signal: AbortSignal): Promise<SentMessage>;
  /**
   * Lists waiting messages in delivery order.
   * @throws HitlError SESSION_NOT_FOUND, BAD_INPUT for an invalid cursor
   */
  list(request?: PageRequest): Promise<MessagePage>;
  /** Returns the queue's statistics. @throws HitlError SESSION_NOT_FOUND */
  metrics(): Promise<MessageMetrics>;
  /**
   * Withdraws undelivered messages: those with these ids, or all.
   * @returns the withdrawn ids.
   * @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if others do not release the lock
   */
  withdraw(ids: readonly string[] | 'all', signal: AbortSignal): Promise<readonly string[]>;
  /** Counts the inbox's records by origin; absent in a store without a key. */
  origins?(): Promise<InboxOrigins>;
}

/** The records of an inbox: sealed with the store's key, and others, which are ignored. */
export interface InboxOrigins {
  readonly ours: number;
  readonly foreign: number;
  /** Foreign answers to open questions, and undelivered foreign messages. */
  readonly waiting: number;
}
