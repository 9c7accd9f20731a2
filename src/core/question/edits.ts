import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution, ResolutionAction } from '../data/resolution.js';
import type { Edits, Facts, ResolutionOf } from './way.js';
import { WAYS } from './ways.js';

/**
 * The parts of a workflow resolution, in the order in which they take effect: patches and conditions, notes,
 * an output, and finally the choice of where to continue.
 */
export interface AnswerParts {
  readonly patches: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
  readonly notes: readonly string[];
  /** The last output, if there are several. */
  readonly output?: { readonly value: JsonValue };
  readonly flows: readonly Resolution[];
}

const FACTS: Facts = WAYS;

function editsOf<A extends ResolutionAction>(action: A, resolution: ResolutionOf<A>): Edits | undefined {
  return FACTS[action].edits?.(resolution);
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Splits a resolution. */
export function partsOf(resolution: Resolution): AnswerParts {
  const all = resolution.action === 'sequence' ? resolution.actions : [resolution];
  const each = all.map((one) => ({ one, edits: editsOf(one.action, one) }));
  const output = each.findLast(({ edits }) => edits?.output !== undefined)?.edits?.output;
  return {
    patches: each.map(({ edits }) => edits?.patch).filter(isGiven),
    conditions: each.map(({ edits }) => edits?.condition).filter(isGiven),
    notes: each.map(({ edits }) => edits?.note).filter(isGiven),
    ...(output !== undefined && { output }),
    flows: each.flatMap(({ one, edits }) => (edits === undefined && one.action !== 'sequence' ? [one] : [])),
  };
}

/** Whether a resolution chooses where a run continues. Edits and notes do not. */
export function changesFlow(resolution: Resolution): boolean {
  return partsOf(resolution).flows.length > 0;
}

/**
 * Whether an answer only changes the state. If so, the gate asks again, because no one has approved the
 * changed state.
 */
export function asksAgain(resolution: Resolution): boolean {
  const { patches, conditions, notes, output, flows } = partsOf(resolution);
  return patches.length > 0 && [...conditions, ...notes, ...flows].length === 0 && output === undefined;
}
