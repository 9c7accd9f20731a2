import type { JsonValue } from '../../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../../src/core/index.js';
import type { DoneCall } from './turn.js';

/**
 * Formats a JSON value for use in a sentence. Strings are unchanged, list items are separated by commas, and
 * all other values are formatted as JSON.
 */
export function valueText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (isJsonArray(value)) return value.map(valueText).join(', ');
  return JSON.stringify(value);
}

export function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Formats an object as a phrase that lists its properties, without the property `leftOut`. Other values are
 * formatted by `valueText`.
 */
export function facts(value: JsonValue, leftOut?: string): string {
  if (!isJsonObject(value)) return valueText(value);
  const members = Object.entries(value).filter(([key]) => key !== leftOut);
  return members.map(([key, member]) => `${key} ${valueText(member)}`).join(', ');
}

/**
 * Whether a call ran and failed. False if a person rejected or cancelled it, or if its outcome is unknown.
 */
export function hasFailed({ isError, output }: DoneCall): boolean {
  return (
    isError && !/^(?:the user rejected|cancelled by|outcome unknown|not started)/u.test(valueText(output))
  );
}

/** Describes a call in a sentence. */
export interface Deed {
  /** Completes `I could not …`: `transfer 5 to ABC123`. */
  readonly act: string;
  /** Names the call: `the transfer of 5 to ABC123`. */
  readonly what: string;
}

/** Explains why a call failed or did not run. */
export function notDone({ output }: DoneCall, { act, what }: Deed): string {
  const text = valueText(output);
  if (text.startsWith('outcome unknown'))
    return `It is unknown whether ${what} happened (${text}). Check before you ask for it again.`;
  const verb = text.startsWith('the user rejected')
    ? 'rejected'
    : text.startsWith('cancelled by')
      ? 'cancelled'
      : undefined;
  if (verb === undefined) return `I could not ${act}: ${text}`;
  const colon = text.indexOf(': ');
  const because = colon === -1 ? '' : ` The reason you gave: ${text.slice(colon + 2)}`;
  return `You ${verb} ${what}, so it did not happen.${because}`;
}

/** Reports that a tool is missing. */
export function missingTool(tool: string): string {
  return `For that I need the tool \`${tool}\`, which is not available in this session.`;
}

/** Joins items into a phrase: `a`, `a and b`, `a, b and c`. */
export function inWords(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

const MAX_LINES = 30;

/**
 * Formats a result as a block. Strings are unchanged, and all other values are formatted as JSON. Long
 * results are truncated, with a note.
 */
export function block(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = text.replace(/\n$/u, '').split('\n');
  const hidden = lines.length - MAX_LINES;
  const shown = hidden > 0 ? [...lines.slice(0, MAX_LINES), `… and ${hidden} more lines`] : lines;
  const fence = text.includes('```') ? '````' : '```';
  return [fence, ...shown, fence].join('\n');
}
