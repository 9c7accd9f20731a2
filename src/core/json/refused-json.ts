import type { JsonValue } from './json.js';
import { isJsonArray } from './json.js';
import { MAX_DEPTH } from './json-depth.js';

/**
 * Says what `parseStrictJson` would refuse of a value that came by another way: its keys and its depth. Safe for any
 * depth.
 */
export function refusedIn(value: JsonValue): string | undefined {
  const waiting: (readonly [value: JsonValue, depth: number])[] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [inner, depth] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth === MAX_DEPTH) return `more than ${MAX_DEPTH} levels deep`;
    if (isJsonArray(inner)) {
      for (const item of inner) waiting.push([item, depth + 1]);
      continue;
    }
    for (const [key, member] of Object.entries(inner)) {
      if (key === '__proto__') return 'the key "__proto__" is not allowed';
      if (key === 'constructor' && hasPrototype(member))
        return 'the key "prototype" is not allowed in "constructor"';
      waiting.push([member, depth + 1]);
    }
  }
  return undefined;
}

/** True for the value of `constructor` by which a careless merge reaches what all objects share. */
export function hasPrototype(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
