import type { JsonObject, JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';
import { WAYS } from '../ways/index.js';
import type { InboxMessage } from './inbox-item.js';

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
