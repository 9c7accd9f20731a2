import type { SessionEvent } from './event.js';
import type { ControlVerb, InboxControl, InboxMessage, SafePoint } from './inbox-item.js';
import { HitlError } from '../data/errors.js';
import type { RunState } from './state.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { WAYS } from '../question/ways.js';

/** Items for a run at a safe point. They take effect only after their events are durable. */
export interface TakenItems {
  /** The decisive control message; if set, `messages` is empty. */
  readonly control?: InboxControl;
  /** In order; only the last may redirect the run. */
  readonly messages: readonly InboxMessage[];
  /** Events to make durable before any effect and before `release`. */
  readonly events: readonly SessionEvent[];
  /** Notices for a person. */
  readonly notices: readonly string[];
  /** Releases the lock; always call it. */
  release(): void;
}

/** The messages to read from an inbox. */
export interface TakeOptions {
  /** Returns false for a message that waits for another safe point. Default: none. */
  readonly wants?: (message: InboxMessage) => boolean;
  /** Returns true for an awaited external event. Default: none is read, whatever `wants` returns. */
  readonly events?: (message: InboxMessage) => boolean;
  /** Returns true for the last message to read. Default: one whose action redirects the run. */
  readonly isLast?: (message: InboxMessage) => boolean;
}

/** Undelivered items at the end of a run. */
export interface LeftItems extends Pick<TakenItems, 'events' | 'release'> {
  /** They stay in the queue for the next run. */
  readonly messages: readonly InboxMessage[];
}

/** A run's messages, for its loop. */
export interface RunInbox {
  /** Returns the waiting messages in order, without reading them. */
  waiting(): Promise<readonly InboxMessage[]>;
  /** Waits for a message with a higher number. Rejects with the signal's reason. */
  arrived(behind: number, signal: AbortSignal): Promise<void>;
  /** Reads messages at a safe point; waits only for concurrent senders. */
  take(point: SafePoint, signal: AbortSignal, options?: TakeOptions): Promise<TakenItems>;
  /** Waits for one of these control messages, which `take` then returns. Rejects with the signal's reason. */
  control(verbs: readonly ControlVerb[], signal: AbortSignal): Promise<InboxControl>;
  /** Returns the items that a finished run leaves; late control messages are dropped. */
  end(signal: AbortSignal): Promise<LeftItems>;
}

/**
 * @throws HitlError BAD_INPUT for a finished workflow, which accepts no messages. A finished chat continues
 * with one.
 */
export function checkTakesMessages(id: string, { graph, ended }: Pick<RunState, 'graph' | 'ended'>): void {
  if (graph === undefined || ended?.type !== 'done') return;
  throw new HitlError('BAD_INPUT', `workflow ${id} is done and accepts no messages`, {
    hint: 'start it again, or go back before its end: rewind, fork',
  });
}

/** Describes a message's request: `change amount to 1000`, else its text. Not escaped. */
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
