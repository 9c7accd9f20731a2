import type { InterruptId, SessionId } from '../data/ids.js';
import type { WaitingItem } from './session.js';

/** The events about a question that receivers are notified of. */
export type DeliveryEvent = 'interrupt.raised' | 'interrupt.resolved';

/** Delivery state of the message to one receiver about one question. */
export interface DeliveryNote {
  /** Identifies the question and the receiver. There is one note for each pair. */
  readonly key: string;
  /** Id of the message, which is the same for each attempt. */
  readonly message: string;
  readonly event: DeliveryEvent;
  /** The receiver's name in the configuration. */
  readonly channel: string;
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  readonly digest: string;
  /** Revision of the note. Starts at 1 and increases with each change. */
  readonly revision: number;
  /**
   * `sending`: a process has claimed the note until `at`. `waiting`: an attempt failed, and the next one is
   * at `at`. `sent`: delivered at `at`. `left`: given up at `at` and left to a person.
   */
  readonly state: 'sending' | 'waiting' | 'sent' | 'left';
  /** ISO 8601. */
  readonly at: string;
  /** Number of tries. */
  readonly attempts: number;
  /** The receiver's own reference to the message, used to change it later. */
  readonly reference?: string;
  /** The last failure. */
  readonly why?: string;
}

/** The properties of a receiver that a store needs. */
export interface DeliveryTarget {
  readonly name: string;
  /**
   * Time in milliseconds since 1970. Questions asked earlier are not sent. Default: all open questions are
   * sent.
   */
  readonly since?: number;
}

/** One batch of the messages that may be due for a receiver. */
export interface DeliveryPart {
  /**
   * Notes whose questions were open when the notes were read. The notes are read before `waiting`, so a
   * question that is missing from `waiting` has been answered in the meantime.
   */
  readonly notes: readonly DeliveryNote[];
  /** The open questions of these notes, and some questions that have no note yet. */
  readonly waiting: readonly WaitingItem[];
}

/**
 * Stores notes about sent messages. Every open question is sent as a message, and a note records that the
 * message was sent. If a note is lost, the message may be sent again with the same id.
 */
export interface Deliveries {
  /**
   * Returns the notes in no particular order. With `gone`, returns only notes whose question is closed, and
   * possibly some others.
   * @throws HitlError SESSION_UNREADABLE
   */
  list(query?: { readonly gone?: boolean }): AsyncIterable<DeliveryNote>;
  /**
   * Returns the messages that may be due for a receiver, in batches: due notes, notes about closed questions,
   * the note that is due next, open questions without a note, and possibly more. Handle each batch before you
   * request the next one, because a question that still has no note by then might not be returned again.
   * @throws HitlError SESSION_UNREADABLE, SAVE_FAILED
   */
  due(target: DeliveryTarget, now: number): AsyncIterable<DeliveryPart>;
  /**
   * Stores a note, replacing its previous revision. Stores a first revision only if there is no note yet. The
   * note is durable when the promise resolves.
   * @returns false if another process stored a revision first; nothing was stored.
   * @throws HitlError SAVE_FAILED
   */
  put(note: DeliveryNote): Promise<boolean>;
  /** Deletes a note if it is unchanged. @returns false if it has changed. @throws HitlError SAVE_FAILED */
  drop(note: DeliveryNote): Promise<boolean>;
}
