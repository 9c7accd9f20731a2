import type { Turn, TurnSource } from '../../src/core/index.js';

/** Takes the given text as the first turn, and everything else from another source. */
export function firstTurn(text: string | undefined, rest: TurnSource): TurnSource {
  let first = text;
  return {
    async next(state, signal): Promise<Turn> {
      if (first === undefined) return rest.next(state, signal);
      // A text that was given as an argument is never a slash command.
      const given = first.startsWith('/') ? `/${first}` : first;
      first = undefined;
      return { type: 'message', text: given };
    },
  };
}
