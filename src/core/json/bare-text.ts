import type { JsonValue } from './json.js';

/** A value as one types it, or reads it: a text as it is, everything else as JSON. */
export function bareText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
