import { plainLine } from '../../src/core/index.js';
import type { ToolEffect } from './effects.js';

/** Columns of an effect in a line. */
const EFFECT_COLUMNS = 100;

/** Going back undoes nothing outside: of what tools did, that which stays done. */
export function lastingEffects(effects: readonly ToolEffect[]): readonly ToolEffect[] {
  return effects.filter(({ effect }) => effect !== 'none');
}

/** Lists what stays done, as safe lines for a person; none where nothing does. */
export function lastingLines(effects: readonly ToolEffect[]): readonly string[] {
  const lasting = lastingEffects(effects).map(
    ({ tool, input, outcome }) =>
      `  ${plainLine(`${tool} ${JSON.stringify(input)} → ${outcome}`, EFFECT_COLUMNS)}`,
  );
  return lasting.length === 0 ? [] : ['what was done since stays done:', ...lasting];
}
