import type { Part, Turn, TurnSource } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';

/** A turn source that counts the messages that it returns. */
export interface CountedTurns extends TurnSource {
  readonly taken: number;
}

/** Wraps a turn source so that its messages are counted. */
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

/** Creates the error for a session without a first message, which explains why there is no input. */
export function nothingSaid({ input }: RunFlags, { isTTY }: Pick<Io['stdin'], 'isTTY'>): HitlError {
  const why = !isTTY ? 'stdin is empty' : input ? 'no terminal available' : '`--no-input` disables prompts';
  return new HitlError('BAD_INPUT', `no message: ${why}`, {
    hint: 'hitl chat "What is my balance?", or pipe a message in',
  });
}

/**
 * Returns a turn source that returns the given text and its attachments first, and then the turns of another
 * source.
 */
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
