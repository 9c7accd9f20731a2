import type { SessionEvent } from './event.js';
import type { ControlVerb, InboxControl, InboxMessage, SafePoint } from './inbox-item.js';
import { HitlError } from '../data/errors.js';
import type { RunState } from './state.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { WAYS } from '../question/ways.js';

/** The items that are there for a run at a safe point. None of them counts before its events are durable. */
export interface TakenItems {
  /** The verb that holds; then there are no messages. */
  readonly control?: InboxControl;
  /** In their order; all but the last leave the run on its course. */
  readonly messages: readonly InboxMessage[];
  /** To be made durable before anything is done about them, and before `release`. */
  readonly events: readonly SessionEvent[];
  /** The news for a person, in the product's own words. */
  readonly notices: readonly string[];
  /** Lets others send and take again; to be called whatever happens. */
  release(): void;
}

/** The messages that are taken from an inbox. */
export interface TakeOptions {
  /** False for a message that waits for another safe point. Default: none does. */
  readonly wants?: (message: InboxMessage) => boolean;
  /** True for an event from outside that something waits for. Default: none is taken, whatever `wants` says. */
  readonly events?: (message: InboxMessage) => boolean;
  /** True for the last message to take. Default: one whose action changes where the run goes. */
  readonly isLast?: (message: InboxMessage) => boolean;
}

/** The items that were not delivered when a run ended. */
export interface LeftItems extends Pick<TakenItems, 'events' | 'release'> {
  /** They stay in the queue, for the next run of the session. */
  readonly messages: readonly InboxMessage[];
}

/** Messages for a run, as its loop sees them. */
export interface RunInbox {
  /** The messages that wait, in their order: for looking at them. */
  waiting(): Promise<readonly InboxMessage[]>;
  /** Waits for a message with a higher number than this. Rejects with the signal's reason. */
  arrived(behind: number, signal: AbortSignal): Promise<void>;
  /** Takes what is there at a safe point; waits for nothing but whoever sends or takes at the moment. */
  take(point: SafePoint, signal: AbortSignal, options?: TakeOptions): Promise<TakenItems>;
  /** Waits until one of these verbs was sent, which `take` then hands out. Rejects with the signal's reason. */
  control(verbs: readonly ControlVerb[], signal: AbortSignal): Promise<InboxControl>;
  /** Gives what a run that ends leaves behind; verbs that came too late for it are dropped. */
  end(signal: AbortSignal): Promise<LeftItems>;
}

/** @throws HitlError BAD_INPUT for a workflow that is done: nothing takes what is sent to it. A chat goes on with it. */
export function checkTakesMessages(id: string, { graph, ended }: Pick<RunState, 'graph' | 'ended'>): void {
  if (graph === undefined || ended?.type !== 'done') return;
  throw new HitlError('BAD_INPUT', `workflow ${id} is done, and takes no messages`, {
    hint: 'start it again, or go back to where the message counts: rewind, fork',
  });
}

/** Says what a message asks for, for people: `change amount to 1000`, else its words. Not escaped. */
export function messageWords({
  action,
  event,
  text,
}: Pick<InboxMessage, 'action' | 'event' | 'text'>): string {
  if (event !== undefined) return `event ${event.name}: ${valueText(event.data)}`;
  return action === undefined ? `“${text}”` : actionWords(action);
}

function actionWords(resolution: Resolution): string {
  if (resolution.action === 'sequence') return resolution.actions.map(actionWords).join(', then ');
  if (resolution.action === 'update-state') return membersWords('change', resolution.patch);
  if (resolution.action === 'change-condition') return membersWords('set the condition', resolution.patch);
  if (resolution.action === 'goto') return `go to ${resolution.node}`;
  const { label } = WAYS[resolution.action];
  return 'value' in resolution ? `${label}: ${valueText(resolution.value)}` : label;
}

function membersWords(verb: string, members: JsonObject): string {
  return Object.entries(members)
    .map(([key, value]) => `${verb} ${key} to ${valueText(value)}`)
    .join(', ');
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
