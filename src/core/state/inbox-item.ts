import type { JsonValue, JsonObject } from '../data/json.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';
import type { NodePath } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';

/** A message's urgency. */
export type MessagePriority = 'low' | 'normal' | 'urgent';

/** An event that happened outside a run. */
export interface OutsideEvent {
  readonly name: string;
  readonly data: JsonValue;
}

/** A message to a run, with the requested action, if any. */
export interface InboxMessage {
  readonly type: 'message';
  /** Id of the message, unique within the session. The sender may choose it. */
  readonly id: string;
  /** Number of the message among all messages to the session, counted from 1. */
  readonly seq: number;
  readonly text: string;
  readonly action?: Resolution;
  /** An external event. The message is delivered only if the run is waiting for an event with this name. */
  readonly event?: OutsideEvent;
  readonly priority: MessagePriority;
  readonly from: Actor;
  /** ISO 8601. */
  readonly at: string;
  /**
   * The node to which the message is addressed, such as `review` or `outer/review@2`. The message is
   * delivered at a safe point of that node. If absent, any node.
   */
  readonly target?: string;
  /** Time when the message expires and is dropped (ISO 8601). */
  readonly expiresAt?: string;
}

/** Control commands that another process can send to a run. */
export type ControlVerb = 'pause' | 'resume' | 'cancel';

/** A control message, which bypasses the queue and its limit. */
export interface InboxControl {
  readonly type: 'control';
  readonly id: string;
  readonly seq: number;
  readonly verb: ControlVerb;
  readonly reason?: string;
  readonly from: Actor;
  readonly at: string;
}

/** A message or control message for a run. */
export type InboxItem = InboxMessage | InboxControl;

/**
 * A point at which a run accepts messages: before or after a node, or between the turns of an agent.
 */
export interface SafePoint {
  readonly phase: 'before' | 'after' | 'turn';
  /** The node that the point belongs to; `''` in a chat. */
  readonly path: NodePath;
}

/** A message, and the state of the run that receives it. */
export interface Situation {
  readonly message: Pick<InboxMessage, 'id' | 'text' | 'action'>;
  readonly point: SafePoint;
  /** Actions available at this point. They never include answers or approvals. */
  readonly offered: readonly ResolutionAction[];
  /** The open questions. */
  readonly open: readonly Interrupt[];
  readonly state?: JsonObject;
  /** Activations so far, ending with the latest. */
  readonly path?: readonly string[];
  /** Names of nodes that the message may refer to. */
  readonly nodes?: readonly string[];
  /** Returns the reason that the run cannot apply an action at this point; `undefined` if it can. */
  readonly problemWith?: (resolution: Resolution) => string | undefined;
}

/** A model's interpretation of a message. */
export type ActionChoice =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      /** Confidence as estimated by the model, from 0 to 1. */
      readonly confidence: number;
      /** Whether a person must confirm the action first (N-5). */
      readonly confirm: boolean;
    }
  /** The message is ambiguous. `suggestion` is the interpretation that the model prefers. */
  | {
      readonly type: 'question';
      readonly question: string;
      readonly reason: string;
      readonly confidence: number;
      readonly suggestion?: Resolution;
    }
  /** No suitable action was found, so a person chooses (N-4). */
  | { readonly type: 'pause'; readonly why: string };
