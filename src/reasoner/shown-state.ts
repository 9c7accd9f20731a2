import type { JsonObject, JsonValue } from '../core/index.js';
import { maskJson } from '../core/index.js';

/** A state that fits a prompt. */
export interface ShownState {
  /** Whole values only: always valid JSON (N-6). */
  readonly state: JsonObject;
  /** The number of omitted keys. */
  readonly omitted: number;
}

function bytesOf(value: JsonValue): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Returns a state without secrets, and without its largest values if it exceeds `maxBytes` as JSON. */
export function shownState(state: JsonObject, maxBytes: number, secrets: readonly string[]): ShownState {
  const { value: masked } = maskJson(state, secrets);
  const sizes = Object.entries(masked).map(([key, value]) => ({ key, bytes: bytesOf({ [key]: value }) }));
  let total = bytesOf(masked);
  const left = new Set<string>();
  for (const { key, bytes } of sizes.sort((one, other) => other.bytes - one.bytes)) {
    if (total <= maxBytes) break;
    left.add(key);
    total -= bytes - 1; // its braces stay, its comma goes
  }
  const kept = Object.entries(masked).filter(([key]) => !left.has(key));
  return { state: Object.fromEntries(kept), omitted: left.size };
}
