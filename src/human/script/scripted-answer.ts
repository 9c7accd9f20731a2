import type { Actor, AskResult, Interrupt, JsonValue, RunState } from '../../core/index.js';
import { HitlError, isYes, unescapeText } from '../../core/index.js';
import { parseAnswerValue } from '../answer/parse-answer.js';
import { toolOf } from '../question/question-text.js';

/** An answer before parsing, with its location and author. */
export interface GivenAnswer {
  readonly interrupt: Interrupt;
  /** The answer, as a line of text or as JSON. */
  readonly value: JsonValue;
  readonly by: Actor;
  /** Location for error messages: `line 3 of stdin`. */
  readonly place: string;
  /** Whether the question may be approved without a digest in the answer. Default: true. */
  readonly isNamed?: boolean;
}

/**
 * Parses an answer from a script.
 * @throws HitlError BAD_ANSWER with the location and the valid answers. In this case, the interrupt stays
 * open, and no other answer is tried.
 */
export function answerOf(
  { interrupt, value, by, place, isNamed = true }: GivenAnswer,
  state: RunState,
): AskResult {
  const tool = toolOf(interrupt, state);
  const parsed = parseAnswerValue(value, { interrupt, ...(tool !== undefined && { tool }) });
  if (!parsed.ok) throw badAnswer(place, parsed.message, parsed.fits, interrupt);
  const { resolution, always } = parsed.answer;
  const { id, digest } = interrupt;
  if (!isNamed && parsed.answer.digest === undefined && isYes(resolution)) {
    const why = 'approving a question from an earlier run requires the digest of the question as shown';
    throw badAnswer(place, why, [`--answer ${id}@<digest>=…`], interrupt);
  }
  return {
    type: 'answered',
    answer: { id, digest, resolution, by },
    ...(always !== undefined && { always }),
  };
}

/**
 * Creates the error for an invalid answer. `why` must already be escaped; it is unescaped for storage and
 * escaped again for display.
 */
export function badAnswer(
  place: string,
  why: string,
  fits: readonly string[],
  interrupt?: Interrupt,
): HitlError {
  return new HitlError('BAD_ANSWER', `${place}: ${unescapeText(why)}`, {
    ...(fits.length > 0 && { hint: `valid answers: ${fits.join(' · ')}` }),
    detail: { place, fits, ...(interrupt !== undefined && { interrupt: interrupt.id }) },
  });
}
