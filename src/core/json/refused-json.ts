import type { JsonValue } from './json.js';
import { isJsonArray } from './json.js';
import { MAX_DEPTH } from './json-depth.js';

/**
 * Says what `parseStrictJson` would refuse of a value that came by another way: its keys and its depth. Looks no deeper
 * than it allows.
 */
export function refusedIn(value: JsonValue, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return `more than ${MAX_DEPTH} levels deep`;
  if (isJsonArray(value)) return refusedItem(value, depth);
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    if (key === '__proto__') return 'the key "__proto__" is not allowed';
    if (key === 'constructor' && hasPrototype(member))
      return 'the key "prototype" is not allowed in "constructor"';
    const refused = refusedIn(member, depth + 1);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function refusedItem(items: readonly JsonValue[], depth: number): string | undefined {
  for (const item of items) {
    const refused = refusedIn(item, depth + 1);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** True for the value of `constructor` by which a careless merge reaches what all objects share. */
export function hasPrototype(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
