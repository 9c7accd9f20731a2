import type { Part, Turn, TurnSource } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';

/** A source of turns with a count. */
export interface CountedTurns extends TurnSource {
  readonly taken: number;
}

/** Counts the turns of a source. */
export function countedTurns(turns: TurnSource): CountedTurns {
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    async next(state, signal): Promise<Turn> {
      const turn = await turns.next(state, signal);
      if (turn.type === 'message') taken += 1;
      return turn;
    },
  };
}

/** Explains an empty conversation: no input, and no one to ask. */
export function nothingSaid({ input }: RunFlags, { isTTY }: Pick<Io['stdin'], 'isTTY'>): HitlError {
  const why = !isTTY ? 'stdin is empty' : input ? 'no terminal available' : '`--no-input` prevents questions';
  return new HitlError('BAD_INPUT', `no message: ${why}`, {
    hint: 'hitl chat "What is my balance?", or pipe a message in',
  });
}

/** Uses the given text with its attachments as the first turn, then another source. */
export function firstTurn(
  text: string | undefined,
  rest: TurnSource,
  attached: readonly Part[] = [],
): TurnSource {
  let first = text;
  return {
    async next(state, signal): Promise<Turn> {
      if (first === undefined) return rest.next(state, signal);
      // A text that was given as an argument is never a slash command.
      const given = first.startsWith('/') ? `/${first}` : first;
      first = undefined;
      return { type: 'message', text: given, ...(attached.length > 0 && { attached }) };
    },
  };
}
