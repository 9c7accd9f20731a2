import type { JsonObject, JsonValue } from './json.js';
import { isJsonArray, ownOf } from './json.js';

/**
 * Deep, strict equality of JSON values that stops at the first difference; the order of keys does not matter, and
 * `undefined` members are not there, as in `canonicalJson`.
 * `onCompare` is called before each pair of values is compared and may throw to give up.
 */
export function jsonEquals(left: JsonValue, right: JsonValue, onCompare?: () => void): boolean {
  const waiting: (readonly [JsonValue, JsonValue])[] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    onCompare?.();
    const [one, other] = pair;
    // Parts that two states share are the same object: they need no walk.
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other)) return false;
    const parts = partsOf(one, other);
    if (parts === undefined) return false;
    for (const part of parts) waiting.push(part);
  }
  return true;
}

type Container = JsonObject | readonly JsonValue[];

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null;
}

type Pairs = (readonly [JsonValue, JsonValue])[];

/** The pairs that must be the same for the containers to be so; `undefined` where they differ already. */
function partsOf(one: Container, other: Container): Pairs | undefined {
  if (isJsonArray(one)) return isJsonArray(other) ? itemsOf(one, other) : undefined;
  return isJsonArray(other) ? undefined : pairsOf(one, other);
}

function itemsOf(one: readonly JsonValue[], other: readonly JsonValue[]): Pairs | undefined {
  if (one.length !== other.length) return undefined;
  const pairs: Pairs = [];
  for (const [index, item] of one.entries()) pairs.push([item, other[index] ?? null]);
  return pairs;
}

function pairsOf(one: JsonObject, other: JsonObject): Pairs | undefined {
  const entries = Object.entries(one).filter(isThere);
  if (entries.length !== Object.entries(other).filter(isThere).length) return undefined;
  const pairs: Pairs = [];
  for (const [key, member] of entries) {
    const theirs = ownOf(other, key);
    if (theirs === undefined) return undefined;
    pairs.push([member, theirs]);
  }
  return pairs;
}

function isThere([, member]: readonly [string, JsonValue | undefined]): boolean {
  return member !== undefined;
}
