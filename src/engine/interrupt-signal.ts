import type { InterruptOptions, JsonValue } from '../core/index.js';

const BRAND = Symbol.for('hitl.interrupt');

/** What `context.interrupt()` throws. Not an error: it stops a tool's body until a person has answered. */
export class InterruptSignal {
  readonly payload: JsonValue;
  readonly options: InterruptOptions;

  constructor(payload: JsonValue | undefined, options: InterruptOptions | undefined) {
    this.payload = payload ?? true;
    this.options = options ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True for an interrupt signal, bare or as the cause of what was thrown. */
export function interruptIn(thrown: unknown): InterruptSignal | undefined {
  if (thrown instanceof InterruptSignal) return thrown;
  return thrown instanceof Error && thrown.cause instanceof InterruptSignal ? thrown.cause : undefined;
}
