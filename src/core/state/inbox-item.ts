import type { JsonValue, JsonObject } from '../data/json.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';
import type { NodePath } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';

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

/** A place where a run may be steered: before a node, after it, and between the turns of an agent. */
export interface SafePoint {
  readonly phase: 'before' | 'after' | 'turn';
  /** The node that is about to run, has run or runs; `''` in a chat. */
  readonly path: NodePath;
}

/** A message, and the run that it is for. */
export interface Situation {
  readonly message: Pick<InboxMessage, 'id' | 'text' | 'action'>;
  readonly point: SafePoint;
  /** The actions that the run can do here. A model is offered only those that are no answers or approvals. */
  readonly offered: readonly ResolutionAction[];
  /** The questions that wait for a person. */
  readonly open: readonly Interrupt[];
  readonly state?: JsonObject;
  /** Activations so far, the latest last. */
  readonly path?: readonly string[];
  /** Names of nodes that the message may mean. */
  readonly nodes?: readonly string[];
  /** Says why the run cannot do this here; `undefined` where it can. */
  readonly problemWith?: (resolution: Resolution) => string | undefined;
}

/** The reading of a message by a model. */
export type ActionChoice =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      /** 0..1, as the model sees it. */
      readonly confidence: number;
      /** A person has to agree before it takes effect (N-5). */
      readonly confirm: boolean;
    }
  /** The message can be read in several ways; `suggestion` is what the model leans to. */
  | {
      readonly type: 'question';
      readonly question: string;
      readonly reason: string;
      readonly confidence: number;
      readonly suggestion?: Resolution;
    }
  /** Nothing that can be done came of it: a person chooses (N-4). */
  | { readonly type: 'pause'; readonly why: string };
