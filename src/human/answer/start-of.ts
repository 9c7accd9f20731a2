import type { Interrupt, JsonObject, JsonValue, ResolutionAction, RunState } from '../../core/index.js';
import { jsonEquals, membersOf, stateAt, WAYS } from '../../core/index.js';

/** Returns the initial value for an edit, as shown at the gate or as stored in the session. */
export function startOf({ payload, path }: Interrupt, state: RunState, action: ResolutionAction): JsonValue {
  const shown = membersOf(payload);
  const frame = stateAt(state, path)?.graph;
  switch (WAYS[action].startsFrom) {
    case 'state':
      return shown['state'] ?? frame?.state ?? {};
    case 'output':
      return shown['output'] ?? null;
    case 'input':
      return frame?.current?.input?.value ?? shown['state'] ?? null;
    case undefined:
    default:
      return {};
  }
}

/** Returns only the changed values, so that the patch does not overwrite concurrent changes. */
export function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || !jsonEquals(before[key] ?? null, value),
  );
  return Object.fromEntries(changed);
}
