import type { JsonValue } from './json.js';
import { isJsonArray } from './json.js';

/** Deepest nesting of arrays and objects that enters a session (G8). */
export const MAX_DEPTH = 64;

/** True where arrays and objects are nested deeper than `limit`. Safe for any depth. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object') return false;
  const waiting: (readonly [value: JsonValue, depth: number])[] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [inner, depth] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth === limit) return true;
    const members = isJsonArray(inner) ? inner : Object.values(inner);
    for (const member of members) waiting.push([member, depth + 1]);
  }
  return false;
}
