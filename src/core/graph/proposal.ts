import type { Interrupt } from '../interrupt.js';
import { isJsonObject } from '../json/index.js';
import type { JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';

/** The key of a gate's payload for what a model read a message as (N-5). */
export const PROPOSED = 'proposed';

/** What a gate proposes: `continue` there means to do that, `reject` not to. `undefined` at any other question. */
export function proposalOf({ kind, payload }: Interrupt): Resolution | undefined {
  const proposed = kind === 'gate' && isJsonObject(payload) ? payload[PROPOSED] : undefined;
  return isResolution(proposed) ? proposed : undefined;
}

/** What is in a journal was checked before it was raised. */
function isResolution(value: JsonValue | undefined): value is Resolution & JsonValue {
  return isJsonObject(value) && typeof value['action'] === 'string';
}
