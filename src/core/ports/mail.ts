import type { ControlVerb, InboxMessage, MessagePriority, OutsideEvent } from '../state/inbox-item.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';

/** A message as it is sent. */
export interface MessageDraft {
  /** Up to 10,000 characters, and more than white space. */
  readonly text: string;
  readonly from: Actor;
  /** Sending the same message again under its id sends nothing. Default: a new id. */
  readonly id?: string;
  /** The action that is asked for; up to 100,000 bytes as JSON. Default: whoever reads the text finds out. */
  readonly action?: Resolution;
  /** An event, up to 100,000 bytes as JSON: for what waits for one of its name, and for nothing else. */
  readonly event?: OutsideEvent;
  /** Default `normal`. */
  readonly priority?: MessagePriority;
  /** The node that it is for: `review`, `review@2`, `outer/review`. Default: wherever the run is. */
  readonly target?: string;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** A verb as it is sent. */
export interface ControlDraft {
  readonly verb: ControlVerb;
  readonly from: Actor;
  readonly id?: string;
  readonly reason?: string;
}

/** The settings with which a message is sent. */
export interface SendOptions {
  /** The number of messages that may wait. Default 100. */
  readonly maxQueue?: number;
  /**
   * The reaction where that many wait: refuse; put out the newest of the lowest priority, if that is lower than this
   * one's; or wait so many milliseconds for room, and then refuse. Default `reject`.
   */
  readonly overflow?: 'reject' | 'drop-lowest' | { readonly waitMs: number };
  /** The actions that messages may ask for; `[]` is none. Default: what a gate of a graph takes. */
  readonly allowedActions?: readonly ResolutionAction[];
}

/** A message that was sent. */
export interface SentMessage {
  readonly id: string;
  readonly seq: number;
  /** The number of messages that wait now. */
  readonly depth: number;
  /** False where it had been sent before: nothing was added. */
  readonly isNew: boolean;
  /** The message that made room for it. */
  readonly evicted?: string;
}

/** Which part of a queue to look at. */
export interface PageRequest {
  /** From 1. Default 1. */
  readonly page?: number;
  /** 1 to 1000; what is beyond is taken as the nearest. Default 50. */
  readonly pageSize?: number;
  /**
   * `next` of the page before, in place of `page`: what waited then and still waits is shown once, in its place,
   * whatever was sent or delivered meanwhile.
   */
  readonly after?: string;
}

/** A part of a queue, as it was at one moment. */
export interface MessagePage {
  readonly items: readonly InboxMessage[];
  /** The number of messages that wait, on all pages. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasNext: boolean;
  /** The beginning of the next page; absent where there is none. */
  readonly next?: string;
}

/** The use of a queue so far. */
export interface MessageMetrics {
  /** Messages that were accepted: delivered, dropped, expired, or still there. */
  readonly queued: number;
  readonly delivered: number;
  /** Withdrawn by a person, or put out by a message of higher priority. */
  readonly dropped: number;
  readonly expired: number;
  /** Not accepted: the queue was full. */
  readonly rejected: number;
  /** Delivered, and the run could not do it. */
  readonly refused: number;
  readonly pauses: number;
  readonly resumes: number;
  readonly cancels: number;
  readonly depth: number;
  readonly maxDepth: number;
  /** The time that the session waited for answers, in milliseconds: for all of them, and for the last one. */
  readonly waitMs: { readonly total: number; readonly last: number };
  /** ISO 8601: when the first was sent; absent before. */
  readonly createdAt?: string;
  /** ISO 8601: when something was last sent, delivered or dropped. Looking at the queue is no activity. */
  readonly lastActivityAt?: string;
}

/** The messages of a session, for whoever sends them or looks at them: in any process, whoever writes the session. */
export interface SessionMail {
  /**
   * Sends a message; durable when it resolves.
   * @throws HitlError BAD_INPUT, QUEUE_FULL, SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED where others do not let go
   */
  send(draft: MessageDraft, options: SendOptions, signal: AbortSignal): Promise<SentMessage>;
  /** Sends a verb; it is taken at the run's next safe point, whatever waits before it. Errors as for `send`. */
  control(draft: ControlDraft, signal: AbortSignal): Promise<SentMessage>;
  /**
   * Lists what waits, in the order of delivery. @throws HitlError SESSION_NOT_FOUND, BAD_INPUT for a cursor that is
   * none
   */
  list(request?: PageRequest): Promise<MessagePage>;
  /** Tells how it was used so far. @throws HitlError SESSION_NOT_FOUND */
  metrics(): Promise<MessageMetrics>;
  /**
   * Takes messages back that were not delivered yet: those with these ids, or all. Afterwards they will not be.
   * @returns the ids of those that were taken back.
   * @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED where others do not let go
   */
  withdraw(ids: readonly string[] | 'all', signal: AbortSignal): Promise<readonly string[]>;
  /** Counts the records of the inbox by whose they are; absent in a store without a key. */
  origins?(): Promise<InboxOrigins>;
}

/** The records of an inbox: those that the key of the store signed, and all others, which do not count. */
export interface InboxOrigins {
  readonly ours: number;
  readonly foreign: number;
  /** Foreign answers to what is open, and foreign messages that were not delivered. */
  readonly waiting: number;
}
