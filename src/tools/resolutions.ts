import type { Actor, Answer, Interrupt, JsonValue, Resolution } from '../core/index.js';
import {
  allowedWords,
  HitlError,
  interruptProblem,
  interruptShapeProblem,
  isJsonObject,
  membersOf,
  present,
  shapeProblem,
} from '../core/index.js';

import { compileSchema } from './compile-schema.js';

/** Actor of an answer if the caller does not specify one. */
const LIBRARY: Actor = { type: 'person', name: 'library', via: 'library' };

export interface AnswerOptions {
  /** The person who decided. Default: the library caller. */
  readonly by?: Actor;
}

export interface RespondOptions extends AnswerOptions {
  readonly metadata?: JsonValue;
}

export interface RestartOptions extends AnswerOptions {
  /**
   * Input to use instead of the one shown. `null`, `0`, `''` and `false` are valid inputs. Default: the input
   * shown.
   */
  readonly input?: JsonValue;
  /** Value passed to the tool as `context.resumed`. Default: `true`. */
  readonly metadata?: JsonValue;
  /** Note for the model, which receives it after the results of its calls. */
  readonly note?: string;
}

export interface ReasonOptions extends AnswerOptions {
  /** Message for the model. */
  readonly reason?: string;
}

/**
 * Validates the arguments of a function that creates an answer.
 * @throws HitlError BAD_ANSWER for a missing interrupt or invalid options.
 */
export function checkGiven(interrupt: unknown, options: unknown): void {
  const wrong = interruptShapeProblem(interrupt);
  if (wrong !== undefined) {
    throw new HitlError('BAD_ANSWER', `invalid interrupt: ${wrong}`, {
      hint: 'pass an interrupt from a response’s `interrupts` or from `openInterrupts(state)`',
    });
  }
  if (isJsonObject(options)) return;
  throw new HitlError('BAD_ANSWER', 'answer options must be an object', {
    hint: 'for example { reason: "too much" } or { metadata: true }',
  });
}

/**
 * Creates an answer that is bound to the interrupt as it was shown (G11).
 * @throws HitlError BAD_ANSWER if the interrupt does not allow the action, or the content of the answer is
 * invalid.
 */
function answer(interrupt: Interrupt, resolution: Resolution, by: Actor = LIBRARY): Answer {
  const { id, digest } = interrupt;
  const bound = { id, digest, resolution, by };
  const wrong = shapeProblem(bound);
  if (wrong !== undefined) throw new HitlError('BAD_ANSWER', `invalid answer to \`${id}\`: ${wrong}`);
  const problem = interruptProblem(interrupt, { digest, resolution });
  if (problem !== undefined) {
    throw new HitlError('BAD_ANSWER', problem.message, {
      hint: `valid actions: ${allowedWords(interrupt).join(', ')}`,
    });
  }
  return bound;
}

/**
 * Provides the output of the call instead of running the tool. The output can be any JSON value.
 * @throws HitlError BAD_ANSWER if the output is not JSON, or does not match the interrupt's answer schema.
 */
export function respond(interrupt: Interrupt, output: JsonValue, options: RespondOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { metadata, by } = options;
  if (interrupt.answerSchema !== undefined) {
    const parsed = compileSchema<JsonValue>(interrupt.answerSchema, 'the answer schema').parseNow(output);
    if (parsed?.ok === false) {
      throw new HitlError('BAD_ANSWER', `invalid answer to \`${interrupt.id}\`: ${parsed.issues.join('; ')}`);
    }
  }
  return answer(interrupt, { action: 'respond', output, ...(metadata !== undefined && { metadata }) }, by);
}

/** Approves the call, optionally with a different input and a note for the model. */
export function restart(interrupt: Interrupt, options: RestartOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { input, metadata, note, by } = options;
  const changes = present({ input, metadata, note });
  return answer(interrupt, { action: 'restart', ...changes }, by);
}

/** Runs the call as if it had never started. This does not approve the call. */
export function retry(interrupt: Interrupt, options: AnswerOptions = {}): Answer {
  checkGiven(interrupt, options);
  return answer(interrupt, { action: 'retry' }, options.by);
}

/** Rejects the call. The model receives the reason and may try another way. */
export function reject(interrupt: Interrupt, options: ReasonOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { reason, by } = options;
  return answer(interrupt, { action: 'reject', ...(reason !== undefined && { reason }) }, by);
}

/** Cancels the call, so that it never runs (G14). */
export function cancel(interrupt: Interrupt, options: ReasonOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { reason, by } = options;
  return answer(interrupt, { action: 'cancel', ...(reason !== undefined && { reason }) }, by);
}

/**
 * Answers with any decision that the question allows. For a gate, for example, this can be `{ action:
 * 'continue' }` or `{ action: 'go-back', to }`.
 * @throws HitlError BAD_ANSWER if the question does not allow the decision, or the output is invalid.
 */
function decide(interrupt: Interrupt, resolution: Resolution, options: AnswerOptions = {}): Answer {
  checkGiven(interrupt, options);
  return answer(interrupt, resolution, options.by);
}

/**
 * Reads an answer that a browser or another program sent as JSON. The author given in the answer is ignored;
 * as `by`, pass the identity that your server has established.
 * @throws HitlError BAD_ANSWER if the answer is invalid.
 */
function read(value: unknown, { by = LIBRARY }: AnswerOptions = {}): Answer {
  const { id, digest, resolution } = membersOf(value);
  const given: unknown = { id, digest, resolution, by };
  if (isAnswer(given)) return given;
  throw new HitlError('BAD_ANSWER', `invalid answer: ${shapeProblem(given) ?? ''}`, {
    hint: 'an answer is {"id":"i1","digest":…,"resolution":{"action":…}}, with the digest of the displayed question',
  });
}

function isAnswer(value: unknown): value is Answer {
  return shapeProblem(value) === undefined;
}

/**
 * Functions that create answers to an interrupt. Each answer is bound to what was shown (G11). For example,
 * `answers.restart(interrupt)` approves the call.
 */
export const answers = { respond, restart, reject, cancel, retry, decide, read } as const;
