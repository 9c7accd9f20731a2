import type { JsonValue } from '../../core/index.js';
import { isJsonArray } from '../../core/index.js';

/** Returns the kind of a value as a noun with an article, for error messages. */
export function kindOf(value: JsonValue): string {
  if (value === null) return '`null`';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'object') return isJsonArray(value) ? 'a list' : 'an object';
  return `a ${typeof value}`;
}
