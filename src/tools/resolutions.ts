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

/** Actor for library callers that name none. */
const LIBRARY: Actor = { type: 'person', name: 'library', via: 'library' };

export interface AnswerOptions {
  /** Who decided. Default: a caller of the library. */
  readonly by?: Actor;
}

export interface RespondOptions extends AnswerOptions {
  readonly metadata?: JsonValue;
}

export interface RestartOptions extends AnswerOptions {
  /** Replaces the shown input; `null`, `0`, `''` and `false` are inputs. Default: the shown input. */
  readonly input?: JsonValue;
  /** The value that the tool finds in `context.resumed`. Default `true`. */
  readonly metadata?: JsonValue;
  /** Words for the model, which gets them after the results of its calls. */
  readonly note?: string;
}

export interface ReasonOptions extends AnswerOptions {
  /** Message for the model. */
  readonly reason?: string;
}

/**
 * Validates a builder's arguments.
 * @throws HitlError BAD_ANSWER for a missing interrupt or invalid options.
 */
export function checkGiven(interrupt: unknown, options: unknown): void {
  const wrong = interruptShapeProblem(interrupt);
  if (wrong !== undefined) {
    throw new HitlError('BAD_ANSWER', `invalid interrupt: ${wrong}`, {
      hint: 'pass one of the `interrupts` of a response, or of `openInterrupts(state)`',
    });
  }
  if (isJsonObject(options)) return;
  throw new HitlError('BAD_ANSWER', 'the options of an answer must be an object', {
    hint: 'for example { reason: "too much" } or { metadata: true }',
  });
}

/**
 * Binds a resolution to an interrupt as shown (G11).
 * @throws HitlError BAD_ANSWER if it does not allow the action, or the answer's content is invalid.
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
 * Supplies the call's output instead of running the tool; any JSON value.
 * @throws HitlError BAD_ANSWER if the output is not JSON, or violates the interrupt's answer schema.
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

/** Approves the call, optionally with another input, and with words for the model. */
export function restart(interrupt: Interrupt, options: RestartOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { input, metadata, note, by } = options;
  const changes = present({ input, metadata, note });
  return answer(interrupt, { action: 'restart', ...changes }, by);
}

/** Runs the call as if it had never started; grants no approval. */
export function retry(interrupt: Interrupt, options: AnswerOptions = {}): Answer {
  checkGiven(interrupt, options);
  return answer(interrupt, { action: 'retry' }, options.by);
}

/** Rejects the call; the model gets the reason and may try another way. */
export function reject(interrupt: Interrupt, options: ReasonOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { reason, by } = options;
  return answer(interrupt, { action: 'reject', ...(reason !== undefined && { reason }) }, by);
}

/** Never runs the call (G14). */
export function cancel(interrupt: Interrupt, options: ReasonOptions = {}): Answer {
  checkGiven(interrupt, options);
  const { reason, by } = options;
  return answer(interrupt, { action: 'cancel', ...(reason !== undefined && { reason }) }, by);
}

/**
 * Answers with any decision that the question allows: for a gate `{ action: 'continue' }`, `{ action:
 * 'go-back', to }`.
 * @throws HitlError BAD_ANSWER for one that it does not allow, or an invalid output.
 */
function decide(interrupt: Interrupt, resolution: Resolution, options: AnswerOptions = {}): Answer {
  checkGiven(interrupt, options);
  return answer(interrupt, resolution, options.by);
}

/**
 * Reads a JSON answer from a browser or another program. Its own claims about its author are ignored: `by` is
 * the identity known to the server.
 * @throws HitlError BAD_ANSWER if it is invalid.
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

/** Creates answers to an interrupt, each bound to what was shown (G11): `answers.restart(interrupt)` approves. */
export const answers = { respond, restart, reject, cancel, retry, decide, read } as const;
