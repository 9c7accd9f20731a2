import type { JsonValue } from '../../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../../src/core/index.js';
import type { DoneCall } from './turn.js';

/** How a call ended, as far as its result says. */
export type CallEnd = 'done' | 'rejected' | 'cancelled' | 'unknown' | 'not-started' | 'failed';

/** Reads from a result what became of its call. */
export function endOf(call: DoneCall): CallEnd {
  if (!call.isError) return 'done';
  const text = valueText(call.output);
  if (text.startsWith('the user rejected')) return 'rejected';
  if (text.startsWith('cancelled by')) return 'cancelled';
  if (text.startsWith('outcome unknown')) return 'unknown';
  if (text.startsWith('not started')) return 'not-started';
  return 'failed';
}

/** A JSON value in a sentence: text as it is, a list with commas, the rest as JSON. */
export function valueText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (isJsonArray(value)) return value.map(valueText).join(', ');
  return JSON.stringify(value);
}

/** A member of a JSON object, if it is there. */
export function memberOf(value: JsonValue, ...keys: readonly string[]): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const key = keys.find((name) => Object.hasOwn(value, name));
  return key === undefined ? undefined : value[key];
}

/** The reason that a person gave, which follows the first colon of a refusal. */
function reasonOf(text: string): string | undefined {
  const colon = text.indexOf(': ');
  return colon === -1 ? undefined : text.slice(colon + 2);
}

/** Says of a call that it was not done, and why; `what` names it: `the transfer to ABC123`. */
export function notDone(call: DoneCall, what: string): string {
  const text = valueText(call.output);
  const reason = reasonOf(text);
  const because = reason === undefined ? '' : ` The reason you gave: ${reason}`;
  const end = endOf(call);
  switch (end) {
    case 'rejected':
      return `You rejected ${what}, so it did not happen.${because}`;
    case 'cancelled':
      return `You cancelled ${what}, so it did not happen.${because}`;
    case 'unknown':
      return `Nobody knows whether ${what} happened (${text}). Please check before you ask for it again.`;
    case 'not-started':
    case 'failed':
    case 'done':
      return `I could not do ${what}: ${text}`;
  }
}

/** Says that a tool is missing. */
export function missingTool(tool: string): string {
  return `For that I need the tool \`${tool}\`, and it is not offered in this session.`;
}

/** `a`, `a and b`, `a, b and c`. */
export function inWords(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

/** A result as a phrase: text as it is, the members of an object but the left out ones. */
export function facts(value: JsonValue, leftOut: readonly string[] = []): string {
  if (!isJsonObject(value)) return valueText(value);
  const members = Object.entries(value).filter(([key]) => !leftOut.includes(key));
  return members.map(([key, member]) => `${key} ${valueText(member)}`).join(', ');
}

/** Text as a block, cut after some lines, which it says. */
export function block(text: string, maxLines = 30): string {
  const lines = text.replace(/\n$/u, '').split('\n');
  const hidden = lines.length - maxLines;
  const shown = hidden > 0 ? [...lines.slice(0, maxLines), `… and ${hidden} more lines`] : lines;
  const fence = text.includes('```') ? '````' : '```';
  return [fence, ...shown, fence].join('\n');
}
