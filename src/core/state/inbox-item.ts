import type { JsonValue, JsonObject } from '../data/json.js';
import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';
import type { NodePath } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';

/** The urgency of a message. */
export type MessagePriority = 'low' | 'normal' | 'urgent';

/** Something that happened outside of a run. */
export interface OutsideEvent {
  readonly name: string;
  readonly data: JsonValue;
}

/** A message for a run, with its action if it names one. */
export interface InboxMessage {
  readonly type: 'message';
  /** Unique in its session; the sender may choose it. */
  readonly id: string;
  /** Its number among all messages to the session, from 1. */
  readonly seq: number;
  readonly text: string;
  readonly action?: Resolution;
  /** An event; delivered only to a wait for its name. */
  readonly event?: OutsideEvent;
  readonly priority: MessagePriority;
  readonly from: Actor;
  /** ISO 8601. */
  readonly at: string;
  /** Addressed node, `review` or `outer/review@2`; delivered at a safe point there. Absent: any node. */
  readonly target?: string;
  /** ISO 8601; dropped from then on. */
  readonly expiresAt?: string;
}

/** The verbs that another process can send to a run. */
export type ControlVerb = 'pause' | 'resume' | 'cancel';

/** A verb; it bypasses the queue and its limit. */
export interface InboxControl {
  readonly type: 'control';
  readonly id: string;
  readonly seq: number;
  readonly verb: ControlVerb;
  readonly reason?: string;
  readonly from: Actor;
  readonly at: string;
}

/** A message or verb for a run. */
export type InboxItem = InboxMessage | InboxControl;

/** A point at which a run can be steered: before a node, after it, and between an agent's turns. */
export interface SafePoint {
  readonly phase: 'before' | 'after' | 'turn';
  /** The node before, after or during which it is; `''` in a chat. */
  readonly path: NodePath;
}

/** A message and the run that gets it. */
export interface Situation {
  readonly message: Pick<InboxMessage, 'id' | 'text' | 'action'>;
  readonly point: SafePoint;
  /** Actions available here; never answers or approvals. */
  readonly offered: readonly ResolutionAction[];
  /** The open questions. */
  readonly open: readonly Interrupt[];
  readonly state?: JsonObject;
  /** Activations so far, latest last. */
  readonly path?: readonly string[];
  /** Names of nodes that the message may refer to. */
  readonly nodes?: readonly string[];
  /** Returns why the run cannot do this here; `undefined` if it can. */
  readonly problemWith?: (resolution: Resolution) => string | undefined;
}

/** A model's interpretation of a message. */
export type ActionChoice =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      /** 0..1, as the model estimates. */
      readonly confidence: number;
      /** A person must confirm it first (N-5). */
      readonly confirm: boolean;
    }
  /** The message is ambiguous; `suggestion` is the model's preferred reading. */
  | {
      readonly type: 'question';
      readonly question: string;
      readonly reason: string;
      readonly confidence: number;
      readonly suggestion?: Resolution;
    }
  /** No possible action was found: a person chooses (N-4). */
  | { readonly type: 'pause'; readonly why: string };
