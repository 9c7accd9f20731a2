import type { Shown } from '../../src/core/index.js';
import { callTitleOf, escapeText, plainLine, shown } from '../../src/core/index.js';
import { valueLine } from '../../src/render/index.js';
import type { ToolEffect } from './effects.js';

/** Columns of an effect in a line. */
const EFFECT_COLUMNS = 100;

/** Going back undoes nothing outside: of what tools did, that which stays done. */
export function lastingEffects(effects: readonly ToolEffect[]): readonly ToolEffect[] {
  return effects.filter(({ effect }) => effect !== 'none');
}

const OUTCOMES: Readonly<Record<ToolEffect['outcome'], Shown>> = {
  output: shown`done`,
  error: shown`failed`,
  asked: shown`stopped to ask`,
  unknown: shown`nobody knows how it ended`,
};

/** Lists what stays done, as safe lines for a person; none where nothing does. */
export function lastingLines(effects: readonly ToolEffect[]): readonly Shown[] {
  const lasting = lastingEffects(effects).map(
    (effect) => shown`  ${plainLine(callWords(effect), EFFECT_COLUMNS)} · ${OUTCOMES[effect.outcome]}`,
  );
  return lasting.length === 0 ? [] : [shown`what was done since stays done:`, ...lasting];
}

/** The title of a call, else its name and its input. */
function callWords({ tool: name, input, title }: ToolEffect): string {
  const words = callTitleOf({ name, input, ...(title !== undefined && { title }) });
  return words ?? `${escapeText(name)}  ${valueLine(input, EFFECT_COLUMNS)}`;
}
