const BRAND = Symbol.for('hitl.suspension');

/**
 * Abort reason that suspends a run: the program must stop, but no one decided about the run. The run stays as
 * after a crash: no end is recorded, and started calls stay started.
 */
export class Suspension extends Error {
  override readonly name = 'AbortError';

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Makes an error a suspension reason too: a writer that may have lost its session must not record anything,
 * and above all not that a person stopped it.
 */
export function suspending<Reason extends Error>(reason: Reason): Reason {
  return Object.defineProperty(reason, BRAND, { value: true });
}

/** Whether a reason is a suspension, of this or another copy of the package. */
export function isSuspension(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && Object.hasOwn(reason, BRAND);
}
