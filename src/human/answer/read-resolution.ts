import type * as z from 'zod';

import type { JsonObject, Resolution, ResolutionAction } from '../../core/index.js';
import { escapeText, isJsonArray, isJsonObject, WAYS } from '../../core/index.js';
import { resolutionSchema } from '../../core/told/schemas.js';
import type { Read } from './read.js';

/** Properties that hitl adds to a resolution; an answer never sets them. */
const OURS: readonly string[] = ['shown', 'verbatim'];

/** Reads a JSON object as a resolution; the reason for a refusal is safe for a terminal. */
export function readResolution(value: JsonObject): Read<Resolution> {
  const forbidden = forbiddenIn(value);
  if (forbidden !== undefined) return { ok: false, why: forbidden };
  const read = resolutionSchema.safeParse(value);
  if (!read.success) return { ok: false, why: read.error.issues.map(issueLine).map(escapeText).join('; ') };
  const why = emptyIn(read.data);
  return why === undefined ? { ok: true, value: read.data } : { ok: false, why };
}

/** Formats an issue as one line, with the keys that lead to it. */
export function issueLine({ path, message }: z.core.$ZodIssue): string {
  const why = message.replace(/^Invalid input: /, '');
  return path.length === 0 ? why : `${path.map(String).join('.')}: ${why}`;
}

function forbiddenIn(value: JsonObject): string | undefined {
  const key = OURS.find((one) => Object.hasOwn(value, one));
  if (key !== undefined) return `Unrecognized key: "${key}"`;
  const { actions } = value;
  if (actions === undefined || !isJsonArray(actions)) return undefined;
  return actions
    .map((one) => (isJsonObject(one) ? forbiddenIn(one) : undefined))
    .find((why) => why !== undefined);
}

/** Finds empty required values: JSON may not omit what a line may not omit. */
function emptyIn(resolution: Resolution): string | undefined {
  if (resolution.action === 'defer' && resolution.note.trim() === '') return 'note: it cannot be empty';
  if (resolution.action === 'goto' && resolution.node === '') return 'node: it cannot be empty';
  if (resolution.action === 'go-back' && (resolution.steps ?? 1) > 1000)
    return 'steps: it must be at most 1000';
  if (resolution.action !== 'sequence') return undefined;
  if (resolution.actions.length === 0) return 'actions: it cannot be empty';
  return resolution.actions.map(emptyIn).find((why) => why !== undefined);
}

function isAction(word: string): word is ResolutionAction {
  return Object.hasOwn(WAYS, word) && word !== 'edit' && word !== 'always';
}

/** Returns the action with this name. `approve` is not one, because its meaning depends on the kind. */
export function actionNamed(word: unknown): ResolutionAction | undefined {
  const name = typeof word === 'string' ? word.replaceAll('_', '-') : '';
  return isAction(name) ? name : undefined;
}
