const BRAND = Symbol.for('hitl.suspension');

/**
 * The reason of a signal that suspends a run: the program must stop, but nobody decided about the run. The run is
 * left as if the process had died: no end is recorded, and started calls stay started.
 */
export class Suspension extends Error {
  override readonly name = 'AbortError';

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Makes an error the reason of a suspension too: who writes for a session that another process may have taken has
 * nothing to say about it, and above all not that a person stopped it.
 */
export function suspending<Reason extends Error>(reason: Reason): Reason {
  return Object.defineProperty(reason, BRAND, { value: true });
}

/** True for the reason of a suspension; of this or of another copy of the package. */
export function isSuspension(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && Object.hasOwn(reason, BRAND);
}
