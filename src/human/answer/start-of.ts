import type { Interrupt, JsonObject, JsonValue, ResolutionAction, RunState } from '../../core/index.js';
import { jsonEquals, membersOf, stateAt, WAYS } from '../../core/index.js';

/** Gives what an edit of a workflow's values starts from, as it stands: what the gate shows, else what the session knows. */
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

/** Only what was changed goes into a patch, so that it does not undo what others change meanwhile. */
export function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || !jsonEquals(before[key] ?? null, value),
  );
  return Object.fromEntries(changed);
}
