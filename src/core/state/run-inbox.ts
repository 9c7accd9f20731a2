import type { SessionEvent } from './event.js';
import type { ControlVerb, InboxControl, InboxMessage, SafePoint } from './inbox-item.js';
import { HitlError } from '../data/errors.js';
import type { RunState } from './state.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { WAYS } from '../question/ways.js';

/**
 * Items that a run received at a safe point. They take effect only after their events have been stored
 * durably.
 */
export interface TakenItems {
  /** The control message that takes effect. If set, `messages` is empty. */
  readonly control?: InboxControl;
  /** Messages in order. Only the last one may redirect the run. */
  readonly messages: readonly InboxMessage[];
  /** Events to store durably before any effect and before `release`. */
  readonly events: readonly SessionEvent[];
  /** Notices for the user. */
  readonly notices: readonly string[];
  /** Releases the lock. Always call this method. */
  release(): void;
}

/** Options that select the messages to take from an inbox. */
export interface TakeOptions {
  /** Selects the messages to take. The others wait for another safe point. By default, all are taken. */
  readonly wants?: (message: InboxMessage) => boolean;
  /**
   * Selects the external events to take: those that the run is waiting for. By default, none are taken,
   * whatever `wants` returns.
   */
  readonly events?: (message: InboxMessage) => boolean;
  /**
   * Marks the last message to take. By default, it is the first one with an action that redirects the run.
   */
  readonly isLast?: (message: InboxMessage) => boolean;
}

/** Items not delivered by the end of a run. */
export interface LeftItems extends Pick<TakenItems, 'events' | 'release'> {
  /** Messages that stay in the queue for the next run. */
  readonly messages: readonly InboxMessage[];
}

/** A run's inbox, as seen by the run loop. */
export interface RunInbox {
  /** Returns the waiting messages in order, without taking them. */
  waiting(): Promise<readonly InboxMessage[]>;
  /** Waits for a message with a number greater than `behind`. Rejects with the signal's reason. */
  arrived(behind: number, signal: AbortSignal): Promise<void>;
  /** Takes messages at a safe point. It may have to wait for other processes that are sending. */
  take(point: SafePoint, signal: AbortSignal, options?: TakeOptions): Promise<TakenItems>;
  /** Waits for one of these control messages, which `take` then returns. Rejects with the signal's reason. */
  control(verbs: readonly ControlVerb[], signal: AbortSignal): Promise<InboxControl>;
  /** Returns the items that are left at the end of a run, and drops late control messages. */
  end(signal: AbortSignal): Promise<LeftItems>;
}

/**
 * Checks that a session accepts messages.
 * @throws HitlError BAD_INPUT for a finished workflow, which does not accept messages. A finished chat
 * continues when it receives a message.
 */
export function checkTakesMessages(id: string, { graph, ended }: Pick<RunState, 'graph' | 'ended'>): void {
  if (graph === undefined || ended?.type !== 'done') return;
  throw new HitlError('BAD_INPUT', `workflow ${id} is done and cannot accept messages`, {
    hint: 'start it again, or go back with rewind or fork',
  });
}

/**
 * Describes the request in a message, such as `change amount to 1000`, or quotes the message's text. The
 * result is not escaped.
 */
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
