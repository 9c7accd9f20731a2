import type { JsonValue } from './json.js';
import { isJsonArray } from './json.js';

// A lone surrogate is half of a pair without the other half: JSON keeps it, UTF-8 and model APIs do not.

/** Whether a string contains no lone surrogates. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** Replaces each lone surrogate with U+FFFD. */
export function toWellFormed(text: string): string {
  return text.toWellFormed();
}

/** Makes all strings and keys in a value well formed. Returns the same value if they already are. */
export function toWellFormedJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) {
    const items = value.map(toWellFormedJson);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const mended = entries.map(([key, member]): [string, JsonValue] => [
    toWellFormed(key),
    toWellFormedJson(member),
  ]);
  const same = mended.every(
    ([key, member], index) => entries[index]?.[0] === key && entries[index][1] === member,
  );
  return same ? value : Object.fromEntries(mended);
}

/** Whether any string or key contains a lone surrogate. Safe for any depth. */
export function hasLoneSurrogate(value: JsonValue): boolean {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string' && !isWellFormed(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    const items = isJsonArray(next) ? next : [...Object.keys(next), ...Object.values(next)];
    for (const item of items) waiting.push(item);
  }
  return false;
}
