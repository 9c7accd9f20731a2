import type { Answer, HumanChannel, TurnSource } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';

/**
 * Maximum size of one message, answer or history, in bytes. It leaves room for the other fields in a journal
 * record, which can be up to 16 MB in size (G8).
 */
export const LARGEST_ENTRY = 15_000_000;

/** Returns the size of a text in bytes if it is too large to save, and `undefined` otherwise. */
export function tooLarge(text: string): number | undefined {
  // A text has no more bytes than three for each of its units: most are decided without counting.
  if (text.length * 3 <= LARGEST_ENTRY) return undefined;
  const bytes = Buffer.byteLength(text);
  return bytes > LARGEST_ENTRY ? bytes : undefined;
}

/** Returns an error if a message is too large to save, and `undefined` otherwise. */
export function messageTooLarge(text: string): HitlError | undefined {
  const bytes = tooLarge(text);
  if (bytes === undefined) return undefined;
  return new HitlError('BAD_INPUT', `message too large: ${bytes} bytes (maximum ${LARGEST_ENTRY})`, {
    hint: 'put the text in a file that a tool can read in parts',
  });
}

/**
 * Returns an error if an answer is too large to save, and `undefined` otherwise. If there is an error, the
 * question stays open.
 */
export function answerTooLarge({ id, resolution }: Answer): HitlError | undefined {
  const bytes = tooLarge(JSON.stringify(resolution));
  if (bytes === undefined) return undefined;
  return new HitlError('BAD_ANSWER', `answer too large: ${bytes} bytes (maximum ${LARGEST_ENTRY})`, {
    hint: `${id} is still open; send a shorter answer`,
  });
}

/**
 * Skips messages that are too large to save. Reports each to `tell`, and gets the next turn. Without `tell`,
 * throws the error.
 */
export function limitedTurns(turns: TurnSource, tell?: (problem: HitlError) => void): TurnSource {
  return {
    async next(state, signal) {
      for (;;) {
        const turn = await turns.next(state, signal);
        const problem = turn.type === 'message' ? messageTooLarge(turn.text) : undefined;
        if (problem === undefined) return turn;
        if (tell === undefined) throw problem;
        tell(problem);
      }
    },
  };
}

/** Skips answers that are too large to save. Reports each to `tell`, and asks again. */
export function limitedAnswers(channel: HumanChannel, tell?: (problem: HitlError) => void): HumanChannel {
  return {
    ...(channel.interactive !== undefined && { interactive: channel.interactive }),
    async ask(open, state, signal, help) {
      for (;;) {
        const asked = await channel.ask(open, state, signal, help);
        if (asked.type !== 'answered') return asked;
        const problem = answerTooLarge(asked.answer);
        if (problem === undefined) return asked;
        if (tell === undefined || asked.answer.by.type !== 'person') throw problem;
        tell(problem);
      }
    },
  };
}
