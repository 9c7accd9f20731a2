import type { Deadline, KeptDeadline } from './deadline.js';
import { deadlineOf } from './deadline.js';
import type { InterruptKind } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Approvable } from './approvers.js';
import { keptApprovers } from './approvers.js';
import type { AnswerWay } from '../data/resolution.js';

const BRAND = Symbol.for('hitl.interrupt');

/** A tool's question about its own call, and its time limit. */
export interface InterruptOptions extends Deadline, Approvable {
  /** Default `confirmation`. */
  readonly kind?: InterruptKind;
  /** JSON Schema of the `respond` output. Default: the tool's output schema. */
  readonly answerSchema?: JsonObject;
  /** The permitted actions. Default: all of the kind. */
  readonly allowed?: readonly AnswerWay[];
  /**
   * For a question: the answer goes to the body, which runs again and finds `{ answer, kept }` in
   * `context.resumed`. It is stored in the journal, never shown, and another process may continue. Default:
   * the answer is the call's output.
   */
  readonly kept?: JsonValue;
}

/** The value that `context.interrupt()` throws. Not an error: it stops a tool's body until a person has answered. */
export class InterruptSignal {
  readonly payload: JsonValue;
  readonly options: InterruptOptions;
  readonly deadline: KeptDeadline & Approvable;

  /** @throws HitlError BAD_CONFIG for an invalid deadline or approver policy. */
  constructor(payload: JsonValue = true, options: InterruptOptions = {}) {
    this.payload = payload;
    this.options = options;
    this.deadline = { ...deadlineOf(options), ...keptApprovers(options) };
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Returns the thrown interrupt, direct or as a cause, of this or another copy of the package. */
export function interruptIn(thrown: unknown): InterruptSignal | undefined {
  if (isInterruptSignal(thrown)) return thrown;
  return thrown instanceof Error && isInterruptSignal(thrown.cause) ? thrown.cause : undefined;
}

/**
 * Whether an error is what `context.interrupt()` throws, also as the cause of another: a person must be
 * asked, nothing failed. Rethrow it.
 */
export function isInterrupt(thrown: unknown): boolean {
  return interruptIn(thrown) !== undefined;
}

function isInterruptSignal(thrown: unknown): thrown is InterruptSignal {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
