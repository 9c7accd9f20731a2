import type { InterruptId, SessionId } from '../data/ids.js';
import type { WaitingItem } from './session.js';

/** The notified events of a question. */
export type DeliveryEvent = 'interrupt.raised' | 'interrupt.resolved';

/** The state of one message about a question to one receiver. */
export interface DeliveryNote {
  /** Identifies question and receiver; each pair has one note. */
  readonly key: string;
  /** Name of the message, the same for every try. */
  readonly message: string;
  readonly event: DeliveryEvent;
  /** Name of the receiver in the configuration. */
  readonly channel: string;
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  readonly digest: string;
  /** Counts from 1; increases with each change. */
  readonly revision: number;
  /**
   * `sending`: a process has it until `at`. `waiting`: it failed and is sent again at `at`. `sent`, and `left` to a
   * person: since `at`.
   */
  readonly state: 'sending' | 'waiting' | 'sent' | 'left';
  /** ISO 8601. */
  readonly at: string;
  /** Number of tries. */
  readonly attempts: number;
  /** The receiver's own reference, used to change the message later. */
  readonly reference?: string;
  /** The last failure. */
  readonly why?: string;
}

/** A receiver, as far as a store needs it. */
export interface DeliveryTarget {
  readonly name: string;
  /** Milliseconds since 1970: earlier questions are not sent. Default: everything open. */
  readonly since?: number;
}

/** A part of what may be due for a receiver. */
export interface DeliveryPart {
  /** Read before `waiting`: noted questions were open then, so missing ones were answered. */
  readonly notes: readonly DeliveryNote[];
  /** The open questions of these notes, and some without a note. */
  readonly waiting: readonly WaitingItem[];
}

/**
 * Notes about messages. A message is due for every open question, and a note records that it was sent. If a note is
 * lost, the message may be sent again under its name.
 */
export interface Deliveries {
  /**
   * Returns the notes in no particular order; with `gone`, those whose question is closed, and possibly others.
   * @throws HitlError SESSION_UNREADABLE
   */
  list(query?: { readonly gone?: boolean }): AsyncIterable<DeliveryNote>;
  /**
   * Returns what may be due for a receiver now, in parts: due notes, notes of closed questions, the next note in
   * time, open questions without a note, and possibly more. Finish one part before requesting the next: what it left
   * without a note may not come again.
   * @throws HitlError SESSION_UNREADABLE, SAVE_FAILED
   */
  due(target: DeliveryTarget, now: number): AsyncIterable<DeliveryPart>;
  /**
   * Stores a note, replacing the previous revision; a first revision only if there is none. Durable when it
   * resolves.
   * @returns false if another process was first and nothing was stored.
   * @throws HitlError SAVE_FAILED
   */
  put(note: DeliveryNote): Promise<boolean>;
  /** Deletes a note if it is unchanged. @returns false if it has changed. @throws HitlError SAVE_FAILED */
  drop(note: DeliveryNote): Promise<boolean>;
}
