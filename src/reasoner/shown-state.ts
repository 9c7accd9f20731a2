import type { JsonObject, JsonValue } from '../core/index.js';
import { maskJson } from '../core/index.js';

/** A state reduced to fit a prompt. */
export interface ShownState {
  /** Values are included whole or not at all, so the result is always valid JSON (N-6). */
  readonly state: JsonObject;
  /** Number of omitted keys. */
  readonly omitted: number;
}

function bytesOf(value: JsonValue): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * Returns a state with its secrets masked. If it exceeds `maxBytes` as JSON, its largest values are left out.
 */
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
