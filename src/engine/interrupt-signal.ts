import type { InterruptOptions, JsonValue } from '../core/index.js';

const BRAND = Symbol.for('hitl.interrupt');

/** What `context.interrupt()` throws. Not an error: it stops a tool's body until a person has answered. */
export class InterruptSignal {
  readonly payload: JsonValue;
  readonly options: InterruptOptions;

  constructor(payload: JsonValue = true, options: InterruptOptions = {}) {
    this.payload = payload;
    this.options = options;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The interrupt that was thrown, bare or as the cause of what was thrown; of this or of another copy of the package. */
export function interruptIn(thrown: unknown): InterruptSignal | undefined {
  if (isInterruptSignal(thrown)) return thrown;
  return thrown instanceof Error && isInterruptSignal(thrown.cause) ? thrown.cause : undefined;
}

function isInterruptSignal(thrown: unknown): thrown is InterruptSignal {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
