import type { Interrupt, Way } from '../../core/index.js';
import { waysAt } from '../../core/index.js';
import { exampleAnswer, formOf } from './form-fields.js';

/** The ways to answer that every place offers; to approve later calls as well is for whoever keeps the rules. */
export function plainWays(interrupt: Interrupt): readonly Way[] {
  const form = formOf(interrupt);
  const ways = waysAt(interrupt).filter(({ always }) => always !== true);
  if (form === undefined) return ways;
  // A form is answered with an object: a line that can be copied says how.
  return ways.map((way) => (way.action === 'respond' ? { ...way, line: exampleAnswer(form) } : way));
}

/** Lists what a line of a script may say at an interrupt, for error messages. */
export function fittingLines(interrupt: Interrupt): readonly string[] {
  return plainWays(interrupt).map(({ line }) => line);
}
