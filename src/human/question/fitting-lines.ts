import type { Interrupt, Way } from '../../core/index.js';
import { waysAt } from '../../core/index.js';

/** The ways to answer that every place offers; to approve later calls as well is for whoever keeps the rules. */
export function plainWays(interrupt: Interrupt): readonly Way[] {
  return waysAt(interrupt).filter(({ always }) => always !== true);
}

/** What a line of a script may say at an interrupt, for error messages. */
export function fittingLines(interrupt: Interrupt): readonly string[] {
  return plainWays(interrupt).map(({ line }) => line);
}
