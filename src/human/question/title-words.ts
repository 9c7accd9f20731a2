import type { Interrupt, JsonValue } from '../../core/index.js';
import { isJsonObject, plainLine } from '../../core/index.js';

/** The width that a name from outside may have, in columns. */
const NAME_COLUMNS = 80;

/** ` by ann`: who paused. */
export function byWords(payload: JsonValue): string {
  const by = isJsonObject(payload) ? payload['by'] : undefined;
  if (typeof by !== 'string') return '';
  const shown = plainLine(by, NAME_COLUMNS);
  // A name of other letters could be taken for words of ours.
  return ` by ${/^[A-Za-z0-9_.:@-]+…?$/.test(shown) ? shown : `“${shown}”`}`;
}

/** ` (timed out)`: how a call failed, where that says more than that it did. */
export function failureWords({ payload }: Interrupt): string {
  const code = isJsonObject(payload) ? payload['code'] : undefined;
  return typeof code === 'string' && code !== 'failed'
    ? ` (${plainLine(code.replaceAll('-', ' '), NAME_COLUMNS)})`
    : '';
}

const OPERATIONS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['step', 'a step'],
  ['tool', 'a tool'],
  ['agent', 'an agent'],
  ['call', 'a workflow'],
]);

/** Names what would begin behind the gate of an operation; `undefined` for what has no such gate. */
export function operationWords(does: JsonValue | undefined): string | undefined {
  return OPERATIONS.get(does);
}
