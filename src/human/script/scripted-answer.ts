import type { Actor, AskResult, Interrupt, JsonValue, RunState } from '../../core/index.js';
import { HitlError, isYes, unescapeText } from '../../core/index.js';
import { parseAnswerValue } from '../answer/parse-answer.js';
import { toolOf } from '../question/question-text.js';

/** An unparsed answer with its location and author. */
export interface GivenAnswer {
  readonly interrupt: Interrupt;
  /** An answer line as text, or JSON. */
  readonly value: JsonValue;
  readonly by: Actor;
  /** Location in messages: `line 3 of stdin`. */
  readonly place: string;
  /** Whether an approval carries the digest it needs. Default: true. */
  readonly isNamed?: boolean;
}

/**
 * Reads a script's answer.
 * @throws HitlError BAD_ANSWER with the location and the valid forms; the interrupt stays open, and nothing
 * else is tried.
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
    const why = 'approving a question of an earlier run requires the digest of what was shown';
    throw badAnswer(place, why, [`--answer ${id}@<digest>=…`], interrupt);
  }
  return {
    type: 'answered',
    answer: { id, digest, resolution, by },
    ...(always !== undefined && { always }),
  };
}

/**
 * Creates the error of an invalid answer. `why` is safe for a terminal; the error's text is escaped when
 * shown.
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
