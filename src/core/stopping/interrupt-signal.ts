import type { KeptDeadline } from '../deadline/index.js';
import { deadlineOf } from '../deadline/index.js';
import type { JsonValue } from '../json/index.js';
import type { InterruptOptions } from '../ports/index.js';
import type { Approvable } from '../people/index.js';
import { keptApprovers } from '../people/index.js';

const BRAND = Symbol.for('hitl.interrupt');

/** The value that `context.interrupt()` throws. Not an error: it stops a tool's body until a person has answered. */
export class InterruptSignal {
  readonly payload: JsonValue;
  readonly options: InterruptOptions;
  readonly deadline: KeptDeadline & Approvable;

  /** @throws HitlError BAD_CONFIG for a deadline that is none, and for people who cannot be. */
  constructor(payload: JsonValue = true, options: InterruptOptions = {}) {
    this.payload = payload;
    this.options = options;
    this.deadline = { ...deadlineOf(options), ...keptApprovers(options) };
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The interrupt that was thrown, bare or as the cause of what was thrown; of this or of another copy of the package. */
export function interruptIn(thrown: unknown): InterruptSignal | undefined {
  if (isInterruptSignal(thrown)) return thrown;
  return thrown instanceof Error && isInterruptSignal(thrown.cause) ? thrown.cause : undefined;
}

/**
 * True for what `context.interrupt()` throws, also where it is the cause of another error: a person is to be asked, and
 * nothing failed. Who catches it throws it on.
 */
export function isInterrupt(thrown: unknown): boolean {
  return interruptIn(thrown) !== undefined;
}

function isInterruptSignal(thrown: unknown): thrown is InterruptSignal {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
