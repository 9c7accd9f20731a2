import type {
  InboxEvent,
  InboxMessage,
  Interrupt,
  JsonObject,
  Resolution,
  ResolutionAction,
  RunInbox,
  SafePoint,
} from '../../core/index.js';

/** The situation in which a model is asked about a message. */
interface MessageSituation {
  readonly message: Pick<InboxMessage, 'id' | 'text' | 'action'>;
  readonly point: SafePoint;
  /** The actions that the run can do here. */
  readonly offered: readonly ResolutionAction[];
  /** The questions that wait for a person. */
  readonly open: readonly Interrupt[];
  readonly state: JsonObject;
  /** Activations so far, the latest last. */
  readonly path: readonly string[];
  readonly nodes: readonly string[];
  /** Says why the run cannot do this here; `undefined` where it can. */
  readonly problemWith: (resolution: Resolution) => string | undefined;
}

/** The event that keeps what a model made of a message for a workflow. */
export type ActionChosen = Extract<InboxEvent, { readonly type: 'action-chosen' }>;

/** Messages from outside for a workflow, and who reads those that name no action. */
export interface GraphSteering {
  readonly inbox: RunInbox;
  /** Makes one action of free text. Default: text is guidance for the next node. */
  readonly reason?: (situation: MessageSituation, signal: AbortSignal) => Promise<ActionChosen>;
  /** Told in the product's own words. */
  readonly notice?: (text: string) => void;
}
