import type { Interrupt } from '../interrupt.js';
import { isJsonObject } from '../json/index.js';
import type { JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';

/** The key of a gate's payload for what a model read a message as (N-5). */
export const PROPOSED = 'proposed';

/** The key of a gate's payload for the words of a message: the gate is about that, and not one that the node has. */
export const MESSAGE = 'message';

/** The key of a payload for what is not as it was when a person was asked before, a line each. */
export const CHANGED = 'changed';

/** True for a gate that is about a message: whoever answers it lets nothing pass that the node's own gate holds. */
export function isAboutMessage({ kind, payload }: Interrupt): boolean {
  return kind === 'gate' && isJsonObject(payload) && payload[MESSAGE] !== undefined;
}

/**
 * Reads what a gate proposes: `continue` there means to do that, `reject` not to. `undefined` at any other question.
 */
export function proposalOf({ kind, payload }: Interrupt): Resolution | undefined {
  const proposed = kind === 'gate' && isJsonObject(payload) ? payload[PROPOSED] : undefined;
  return isResolution(proposed) ? proposed : undefined;
}

/** True for the form of a resolution: what is in a journal was checked before it was raised. */
function isResolution(value: JsonValue | undefined): value is Resolution & JsonValue {
  return isJsonObject(value) && typeof value['action'] === 'string';
}
