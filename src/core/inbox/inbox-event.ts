import type { Usage } from '../message/index.js';
import type { ActionChoice } from './action-choice.js';
import type { InboxItem } from './inbox-item.js';
import type { SafePoint } from './safe-point.js';

/** The reason why something that was sent never reached the run. */
export type InboxDrop = 'expired' | 'removed' | 'run-ended';

/** The outcome of something that was delivered. */
export type InboxOutcome =
  | { readonly type: 'applied' }
  | { readonly type: 'refused'; readonly why: string }
  /** The process ended between delivery and effect: it has none, and never will. */
  | { readonly type: 'lost' };

/** An event of a message from outside. It belongs to the session, whichever scope it is told at. */
export type InboxEvent =
  /** Before its effect, which happens at most once for it. */
  | {
      readonly type: 'inbox-delivered';
      readonly item: InboxItem;
      readonly point: SafePoint;
      readonly deliveredAt: string;
    }
  | {
      readonly type: 'inbox-dropped';
      readonly id: string;
      readonly seq: number;
      readonly why: InboxDrop;
      readonly droppedAt: string;
    }
  /** In one batch with the effect, or behind it. */
  | { readonly type: 'inbox-settled'; readonly id: string; readonly outcome: InboxOutcome }
  /** A model was asked what a message means (N-8). */
  | {
      readonly type: 'action-chosen';
      /** The message's id. */
      readonly message: string;
      readonly choice: ActionChoice;
      readonly model: string;
      /** Requests to the model; 0 where it was not asked. */
      readonly attempts: number;
      readonly usage?: Usage;
    };
