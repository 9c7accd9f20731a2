import type { Shown } from '../../src/core/index.js';
import { callTitleOf, escapeText, plainLine, shown } from '../../src/core/index.js';
import { valueLine } from '../../src/render/index.js';
import type { OnceAgain, OwnEffect, ToolEffect } from '../../src/repl/index.js';

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

/** Lists what stays done, in the order in which it was begun, as safe lines for a person; none where nothing does. */
export function lastingLines(tools: readonly ToolEffect[], own: readonly OwnEffect[] = []): readonly Shown[] {
  const lasting = [
    ...lastingEffects(tools).map(({ seq, outcome, ...call }) => ({ seq, outcome, words: callWords(call) })),
    ...own.map(({ seq, outcome, name, title }) => ({ seq, outcome, words: namedWords(name, title) })),
  ]
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ words, outcome }) => shown`  ${plainLine(words, EFFECT_COLUMNS)} · ${OUTCOMES[outcome]}`);
  return lasting.length === 0 ? [] : [shown`what was done since stays done:`, ...lasting];
}

/** Lists what going on does a second time, as safe lines for a person. */
export function againLines(again: readonly OnceAgain[]): readonly Shown[] {
  if (again.length === 0) return [];
  return [
    shown`what is done once more:`,
    ...again.map(
      ({ name, title, outcome }) =>
        shown`  ${plainLine(namedWords(name, title), EFFECT_COLUMNS)} · was ${OUTCOMES[outcome]}`,
    ),
  ];
}

function namedWords(name: string, title: string | undefined): string {
  return title === undefined ? escapeText(name) : `${escapeText(name)}  ${escapeText(title)}`;
}

/** The title of a call, else its name and its input. */
function callWords({ tool: name, input, title }: Pick<ToolEffect, 'tool' | 'input' | 'title'>): string {
  const words = callTitleOf({ name, input, ...(title !== undefined && { title }) });
  return words ?? `${escapeText(name)}  ${valueLine(input, EFFECT_COLUMNS)}`;
}
