import type { JsonValue } from '../json/index.js';
import type { Actor, Resolution } from '../resolution.js';

/** The urgency of a message to a run: whether it waits for the end of what runs. */
export type MessagePriority = 'low' | 'normal' | 'urgent';

/** Something that happened outside of a run. */
export interface OutsideEvent {
  readonly name: string;
  readonly data: JsonValue;
}

/** Words for a run from outside, with the action that they name, if they name one. */
export interface InboxMessage {
  readonly type: 'message';
  /** Unique in its session; whoever sends may choose it. */
  readonly id: string;
  /** Its number among everything that was sent to the session, from 1. */
  readonly seq: number;
  readonly text: string;
  readonly action?: Resolution;
  /** It is for what waits for an event of this name, and for nothing else. */
  readonly event?: OutsideEvent;
  readonly priority: MessagePriority;
  readonly from: Actor;
  /** ISO 8601. */
  readonly at: string;
  /** The node that it is for, `review` or `outer/review@2`; it waits for a safe point there. Absent: for any. */
  readonly target?: string;
  /** ISO 8601; from then on it is dropped. */
  readonly expiresAt?: string;
}

/** The orders that another process may send to a run. */
export type ControlVerb = 'pause' | 'resume' | 'cancel';

/** A verb that goes past the queue and its bound. */
export interface InboxControl {
  readonly type: 'control';
  readonly id: string;
  readonly seq: number;
  readonly verb: ControlVerb;
  readonly reason?: string;
  readonly from: Actor;
  readonly at: string;
}

/** An item that another process sends to a run. */
export type InboxItem = InboxMessage | InboxControl;
