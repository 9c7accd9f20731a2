import type { JsonObject, JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';

/** What says where a run goes. */
export type Flow = Exclude<
  Resolution,
  { action: 'update-state' | 'change-condition' | 'defer' | 'sequence' | 'edit-output' }
>;

/** The parts of a resolution in the order in which they act (I-26). */
export interface AnswerParts {
  readonly patches: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
  readonly notes: readonly string[];
  readonly output?: { readonly value: JsonValue };
  readonly flows: readonly Flow[];
}

/** Takes a resolution apart; of several outputs the last one counts. */
export function partsOf(resolution: Resolution): AnswerParts {
  const patches: JsonObject[] = [];
  const conditions: JsonObject[] = [];
  const notes: string[] = [];
  const flows: Flow[] = [];
  let output: { readonly value: JsonValue } | undefined;
  for (const one of resolution.action === 'sequence' ? resolution.actions : [resolution]) {
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- what is not an edit says where to go
    switch (one.action) {
      case 'update-state':
        patches.push(one.patch);
        break;
      case 'change-condition':
        conditions.push(one.patch);
        break;
      case 'defer':
        notes.push(one.note);
        break;
      case 'edit-output':
        output = { value: one.value };
        break;
      case 'sequence': // there is none in another
        break;
      default:
        flows.push(one);
    }
  }
  return { patches, conditions, notes, ...(output !== undefined && { output }), flows };
}
