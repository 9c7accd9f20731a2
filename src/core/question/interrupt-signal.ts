import type { Deadline, KeptDeadline } from './deadline.js';
import { deadlineOf } from './deadline.js';
import type { InterruptKind } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Approvable } from './approvers.js';
import { keptApprovers } from './approvers.js';
import type { AnswerWay } from '../data/resolution.js';

const BRAND = Symbol.for('hitl.interrupt');

/** Options for a question that a tool asks about its own call, including the time limit. */
export interface InterruptOptions extends Deadline, Approvable {
  /** Default `confirmation`. */
  readonly kind?: InterruptKind;
  /** JSON Schema of the `respond` output. Default: the tool's output schema. */
  readonly answerSchema?: JsonObject;
  /** The permitted actions. Default: all actions of the kind. */
  readonly allowed?: readonly AnswerWay[];
  /**
   * A value to keep for the body. If set, a `respond` runs the body again with `{ answer, kept }` in
   * `context.resumed`. The value is stored in the journal and never shown, and another process may run the
   * body. If absent, the answer is the output of the call.
   */
  readonly kept?: JsonValue;
}

/**
 * The value that `context.interrupt()` throws. It is not an error: it stops a tool's body until a person has
 * answered.
 */
export class InterruptSignal {
  readonly payload: JsonValue;
  readonly options: InterruptOptions;
  readonly deadline: KeptDeadline & Approvable;

  /**
   * Creates the signal.
   * @throws HitlError BAD_CONFIG for an invalid deadline or approver policy.
   */
  constructor(payload: JsonValue = true, options: InterruptOptions = {}) {
    this.payload = payload;
    this.options = options;
    this.deadline = { ...deadlineOf(options), ...keptApprovers(options) };
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Returns the interrupt that this or another copy of the package threw, either directly or as the cause of
 * another error.
 */
export function interruptIn(thrown: unknown): InterruptSignal | undefined {
  if (isInterruptSignal(thrown)) return thrown;
  return thrown instanceof Error && isInterruptSignal(thrown.cause) ? thrown.cause : undefined;
}

/**
 * Whether an error was thrown by `context.interrupt()`, either directly or as the cause of another error. If
 * so, nothing has failed and a person must be asked, so rethrow it.
 */
export function isInterrupt(thrown: unknown): boolean {
  return interruptIn(thrown) !== undefined;
}

function isInterruptSignal(thrown: unknown): thrown is InterruptSignal {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
