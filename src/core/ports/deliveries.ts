import type { InterruptId, SessionId } from '../data/ids.js';
import type { WaitingItem } from './session.js';

/** The events of a question that receivers are notified of. */
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
   * `sending`: a process has it until `at`. `waiting`: it failed and is sent again at `at`. `sent`, or `left` to a
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

/** The part of a receiver that a store needs. */
export interface DeliveryTarget {
  readonly name: string;
  /** Milliseconds since 1970: earlier questions are not sent. Default: everything open. */
  readonly since?: number;
}

/** One part of the messages that may be due for a receiver. */
export interface DeliveryPart {
  /**
   * Read before `waiting`: the questions of notes were open then, so one that is missing from `waiting` was answered.
   */
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
   * Returns what may be due for a receiver now, in parts: due notes, notes of closed questions, the next note by
   * time, open questions without a note, and possibly more. Finish one part before requesting the next: questions
   * left without a note may not be returned again.
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
