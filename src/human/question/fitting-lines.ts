import type { Interrupt, JsonObject, Way } from '../../core/index.js';
import { waysAt } from '../../core/index.js';
import { exampleAnswer, formOf, passedOn } from './form-fields.js';

/**
 * Returns the actions that are available everywhere. Approval of later calls is not included, because it
 * requires access to the rules.
 */
export function plainWays(interrupt: Interrupt): readonly Way[] {
  const form = formOf(interrupt);
  const passed = passedOn(interrupt);
  const ways = waysAt(interrupt)
    .filter(({ always }) => always !== true)
    .map((way) => (passed === undefined || way.key !== 'y' ? way : passing(way, passed)));
  if (form === undefined) return ways;
  // A form is answered with an object: a line that can be copied says how.
  return ways.map((way) => (way.action === 'respond' ? { ...way, line: exampleAnswer(form) } : way));
}

/** Returns an approval whose line includes example values for the tool, ready to copy. */
function passing(way: Way, schema: JsonObject): Way {
  return { ...way, line: `y ${exampleAnswer(schema)}` };
}

/** Lists the script lines that are valid answers to an interrupt, for error messages. */
export function fittingLines(interrupt: Interrupt): readonly string[] {
  return plainWays(interrupt).map(({ line }) => line);
}
