import type { JsonObject, Resolution, ResolutionAction } from '../../core/index.js';
import { escapeText, isResolution, resolutionProblem, WAYS } from '../../core/index.js';
import type { Read } from './read.js';

/** Reads a JSON object as a resolution. If it is rejected, the reason is safe to print in a terminal. */
export function readResolution(value: JsonObject): Read<Resolution> {
  if (!isResolution(value)) return { ok: false, why: escapeText(resolutionProblem(value) ?? '') };
  const why = verbatimIn(value) ?? emptyIn(value);
  return why === undefined ? { ok: true, value } : { ok: false, why };
}

/** Rejects a response in journal format, which is only for programs. People provide only the output. */
function verbatimIn(resolution: Resolution): string | undefined {
  if (resolution.action === 'sequence')
    return resolution.actions.map(verbatimIn).find((why) => why !== undefined);
  const isVerbatim = resolution.action === 'respond' && resolution.verbatim !== undefined;
  return isVerbatim ? 'unknown property `verbatim` of `respond`' : undefined;
}

/** Finds required values that are empty. JSON answers must not omit anything that answer lines require. */
function emptyIn(resolution: Resolution): string | undefined {
  if (resolution.action === 'defer' && resolution.note.trim() === '') return '`note` cannot be empty';
  if (resolution.action === 'goto' && resolution.node === '') return '`node` cannot be empty';
  if (resolution.action === 'go-back' && (resolution.steps ?? 1) > 1000)
    return '`steps` must be at most 1000';
  if (resolution.action !== 'sequence') return undefined;
  if (resolution.actions.length === 0) return '`actions` cannot be empty';
  return resolution.actions.map(emptyIn).find((why) => why !== undefined);
}

function isAction(word: string): word is ResolutionAction {
  return Object.hasOwn(WAYS, word) && word !== 'edit' && word !== 'always';
}

/**
 * Returns the action with this name. `approve` is not an action, because its meaning depends on the
 * interrupt's kind.
 */
export function actionNamed(word: unknown): ResolutionAction | undefined {
  const name = typeof word === 'string' ? word.replaceAll('_', '-') : '';
  return isAction(name) ? name : undefined;
}
