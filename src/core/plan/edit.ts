import type { Actor } from '../resolution.js';
import type { JsonObject } from '../json/index.js';
import { isJsonArray, jsonEquals } from '../json/index.js';

/**
 * True where an edited input may run without another question, for what the gate says of it now. A person at a terminal
 * has seen everything that is shown of it; whoever answers from elsewhere agrees to what comes of the edit, but to no
 * warning that was not shown with the question.
 */
export function editHolds(by: Actor, shown: JsonObject, now: JsonObject): boolean {
  if (by.type === 'person' && by.via === 'terminal')
    return ['facts', 'diff', 'warnings'].every((member) =>
      jsonEquals(shown[member] ?? null, now[member] ?? null),
    );
  const before = shown['warnings'] ?? [];
  const after = now['warnings'] ?? [];
  if (!isJsonArray(before) || !isJsonArray(after)) return false;
  return after.every((warning) => before.some((one) => jsonEquals(one, warning)));
}
