import type { ControlVerb, InboxMessage, MessagePriority, OutsideEvent } from '../state/inbox-item.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';

/** A message to send. */
export interface MessageDraft {
  /** Text of the message: at most 10,000 characters, and not only whitespace. */
  readonly text: string;
  readonly from: Actor;
  /** Idempotency key: a repeated id is ignored. Default: a new id. */
  readonly id?: string;
  /** The requested action, at most 100,000 bytes as JSON. Default: the recipient interprets the text. */
  readonly action?: Resolution;
  /**
   * An external event, at most 100,000 bytes as JSON. Delivered only if the run is waiting for an event of
   * that name.
   */
  readonly event?: OutsideEvent;
  /** Default `normal`. */
  readonly priority?: MessagePriority;
  /** The node that receives the message: `review`, `review@2`, `outer/review`. Default: the current node. */
  readonly target?: string;
  /** Expiry time, ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** A control message to send. */
export interface ControlDraft {
  readonly verb: ControlVerb;
  readonly from: Actor;
  readonly id?: string;
  readonly reason?: string;
}

/** Options for sending a message. */
export interface SendOptions {
  /** Maximum number of waiting messages. Default 100. */
  readonly maxQueue?: number;
  /**
   * What to do if the queue is full. `reject`: refuse the message. `drop-lowest`: drop the newest message of
   * the lowest priority, if that priority is lower than this message's. `waitMs`: wait up to this many
   * milliseconds for room, then refuse. Default `reject`.
   */
  readonly overflow?: 'reject' | 'drop-lowest' | { readonly waitMs: number };
  /** Actions that messages may request; `[]` for none. Default: the actions that a gate accepts. */
  readonly allowedActions?: readonly ResolutionAction[];
}

/** A sent message. */
export interface SentMessage {
  readonly id: string;
  readonly seq: number;
  /** Number of messages in the queue. */
  readonly depth: number;
  /** Whether the message is new. If a message with this id was sent before, this one is ignored. */
  readonly isNew: boolean;
  /** The message that was dropped to make room. */
  readonly evicted?: string;
}

/** The page of a queue to fetch. */
export interface PageRequest {
  /** Page number, counted from 1. Default 1. */
  readonly page?: number;
  /** Number of messages per page, from 1 to 1000; values outside this range are clamped. Default 50. */
  readonly pageSize?: number;
  /**
   * `next` from the previous page, used instead of `page`. With it, every message that is still waiting
   * appears exactly once.
   */
  readonly after?: string;
}

/** One page of a queue, as of a point in time. */
export interface MessagePage {
  readonly items: readonly InboxMessage[];
  /** Total number of waiting messages. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasNext: boolean;
  /** Cursor for the next page; absent on the last page. */
  readonly next?: string;
}

/** Queue statistics. */
export interface MessageMetrics {
  /** Number of messages accepted, whether delivered, dropped, expired or still waiting. */
  readonly queued: number;
  readonly delivered: number;
  /** Number of messages withdrawn, or dropped in favor of a higher priority. */
  readonly dropped: number;
  readonly expired: number;
  /** Number of messages refused because the queue was full. */
  readonly rejected: number;
  /** Number of messages delivered whose requested action the run could not perform. */
  readonly refused: number;
  readonly pauses: number;
  readonly resumes: number;
  readonly cancels: number;
  readonly depth: number;
  readonly maxDepth: number;
  /** Milliseconds that the session spent waiting for answers: in total, and for the last answer. */
  readonly waitMs: { readonly total: number; readonly last: number };
  /** Time at which the first message was sent, ISO 8601; absent before that. */
  readonly createdAt?: string;
  /**
   * Time at which a message was last sent, delivered or dropped, ISO 8601. Reading does not count as
   * activity.
   */
  readonly lastActivityAt?: string;
}

/** A session's messages, for senders and readers in any process. */
export interface SessionMail {
  /**
   * Sends a message. It is durable when the promise resolves.
   * @throws HitlError BAD_INPUT, QUEUE_FULL, SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if other
   * processes do not release the lock
   */
  send(draft: MessageDraft, options: SendOptions, signal: AbortSignal): Promise<SentMessage>;
  /**
   * Sends a control message. The run reads it at its next safe point, before any waiting messages. Throws the
   * same errors as `send`.
   */
  control(draft: ControlDraft, signal: AbortSignal): Promise<SentMessage>;
  /**
   * Lists waiting messages in delivery order.
   * @throws HitlError SESSION_NOT_FOUND, BAD_INPUT for an invalid cursor
   */
  list(request?: PageRequest): Promise<MessagePage>;
  /** Returns the queue's statistics. @throws HitlError SESSION_NOT_FOUND */
  metrics(): Promise<MessageMetrics>;
  /**
   * Withdraws undelivered messages: those with the given ids, or all of them.
   * @returns the withdrawn ids.
   * @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if other processes do not release the
   * lock
   */
  withdraw(ids: readonly string[] | 'all', signal: AbortSignal): Promise<readonly string[]>;
  /** Counts the inbox's records by origin. Absent in a store without a key. */
  origins?(): Promise<InboxOrigins>;
}

/**
 * Numbers of records in an inbox: those sealed with the store's key (`ours`), and all others (`foreign`),
 * which are ignored.
 */
export interface InboxOrigins {
  readonly ours: number;
  readonly foreign: number;
  /**
   * Number of records without the store's seal that are answers to open questions or undelivered messages.
   */
  readonly waiting: number;
}
