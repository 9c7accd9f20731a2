import type { InterruptId, SessionId } from '../data/ids.js';
import type { WaitingItem } from './session.js';

/** The things of a question that are told. */
export type DeliveryEvent = 'interrupt.raised' | 'interrupt.resolved';

/** The state of one message about a question, at one receiver. */
export interface DeliveryNote {
  /** Names the question and the receiver: a question has one note for each receiver, which moves on. */
  readonly key: string;
  /** The name under which the message is sent, each time. */
  readonly message: string;
  readonly event: DeliveryEvent;
  /** The receiver, as the configuration names it. */
  readonly channel: string;
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  readonly digest: string;
  /** Counts from 1; each change of the note is one more. */
  readonly revision: number;
  /**
   * `sending`: somebody has it, until `at`. `waiting`: it failed, and is sent again at `at`. `sent`, and `left` to a
   * person: since `at`.
   */
  readonly state: 'sending' | 'waiting' | 'sent' | 'left';
  /** ISO 8601. */
  readonly at: string;
  /** The number of times that it was tried. */
  readonly attempts: number;
  /** The receiver's own name of it: by this it is changed later. */
  readonly reference?: string;
  /** The last failure. */
  readonly why?: string;
}

/** A receiver, as far as a store needs it. */
export interface DeliveryTarget {
  readonly name: string;
  /** Milliseconds since 1970: what was asked before is not told. Default: all that is open is. */
  readonly since?: number;
}

/** A part of what may be due for a receiver. */
export interface DeliveryPart {
  /** Read before `waiting`: what is noted was open then, so that what is missing there was answered. */
  readonly notes: readonly DeliveryNote[];
  /** The open questions of these notes, and some about which nothing is noted. */
  readonly waiting: readonly WaitingItem[];
}

/**
 * The notes about messages. What is due is no part of them: a message is due for every open question, and a note says
 * that it was sent. A message whose note is lost may be sent again, under its name.
 */
export interface Deliveries {
  /**
   * The notes, in no particular order; with `gone` those whose question is not open any more, and perhaps some others.
   * @throws HitlError SESSION_UNREADABLE
   */
  list(query?: { readonly gone?: boolean }): AsyncIterable<DeliveryNote>;
  /**
   * What may be due for a receiver now, in parts: notes whose time has come or whose question is not open any more, the
   * note whose time comes next, each open question about which nothing is noted, and perhaps more. Whoever asks for the
   * next part has done what was due in the one before: what it left without a note need not come again.
   * @throws HitlError SESSION_UNREADABLE, SAVE_FAILED
   */
  due(target: DeliveryTarget, now: number): AsyncIterable<DeliveryPart>;
  /**
   * Keeps a note in the place of the one with the revision before it; the first revision is kept where there is none.
   * Durable when it resolves. @returns false where somebody else was first: nothing was kept. @throws HitlError SAVE_FAILED
   */
  put(note: DeliveryNote): Promise<boolean>;
  /** Forgets a note, as it is here. @returns false where it is another one by now. @throws HitlError SAVE_FAILED */
  drop(note: DeliveryNote): Promise<boolean>;
}
