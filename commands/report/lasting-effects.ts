import type { Shown } from '../../src/core/index.js';
import { plainLine, shown } from '../../src/core/index.js';
import { callLine } from '../../src/render/index.js';
import type { OnceAgain, OwnEffect, ToolEffect } from '../../src/repl/index.js';

/** Width of the description of an effect, in columns. */
const EFFECT_COLUMNS = 100;

/** Returns the effects that going back does not undo. */
export function lastingEffects(effects: readonly ToolEffect[]): readonly ToolEffect[] {
  return effects.filter(({ effect }) => effect !== 'none');
}

const OUTCOMES: Readonly<Record<ToolEffect['outcome'], Shown>> = {
  output: shown`done`,
  error: shown`failed`,
  asked: shown`stopped at a question`,
  unknown: shown`outcome unknown`,
};

/**
 * Lists lasting effects in the order in which they started. The lines are safe for a terminal. Empty if there
 * are none.
 */
export function lastingLines(tools: readonly ToolEffect[], own: readonly OwnEffect[] = []): readonly Shown[] {
  const lasting = [
    ...lastingEffects(tools).map(({ seq, outcome, ...call }) => ({ seq, outcome, line: lineOf(call) })),
    ...own.map(({ seq, outcome, name, title }) => ({ seq, outcome, line: namedLine(name, title) })),
  ]
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ line, outcome }) => shown`  ${line} · ${OUTCOMES[outcome]}`);
  return lasting.length === 0 ? [] : [shown`Not undone:`, ...lasting];
}

/** Lists effects that will run again. The lines are safe for a terminal. */
export function againLines(again: readonly OnceAgain[]): readonly Shown[] {
  if (again.length === 0) return [];
  return [
    shown`Will run again:`,
    ...again.map(({ name, title, outcome }) => shown`  ${namedLine(name, title)} · was ${OUTCOMES[outcome]}`),
  ];
}

function namedLine(name: string, title: string | undefined): Shown {
  return plainLine(title === undefined ? name : `${name}  ${title}`, EFFECT_COLUMNS);
}

/** Formats a call as its title or, if it has none, as its name and input. */
function lineOf({ tool: name, input, title }: Pick<ToolEffect, 'tool' | 'input' | 'title'>): Shown {
  return callLine({ name, input, ...(title !== undefined && { title }) }, EFFECT_COLUMNS);
}
