import type { InboxEvent, RunInbox, Situation } from '../../core/index.js';

/** The event that keeps what a model made of a message for a workflow. */
export type ActionChosen = Extract<InboxEvent, { readonly type: 'action-chosen' }>;

/** Messages from outside for a workflow, and who reads those that name no action. */
export interface GraphSteering {
  readonly inbox: RunInbox;
  /** Makes one action of free text. Default: text is guidance for the next node. */
  readonly reason?: (situation: Required<Situation>, signal: AbortSignal) => Promise<ActionChosen>;
  /** Told in the product's own words. */
  readonly notice?: (text: string) => void;
}
