import type { Interrupt } from '../interrupt.js';
import type { JsonObject } from '../json/index.js';
import type { Resolution, ResolutionAction } from '../resolution.js';
import type { InboxMessage } from './inbox-item.js';
import type { SafePoint } from './safe-point.js';

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
