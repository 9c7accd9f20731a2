const BRAND = Symbol.for('hitl.outcome-unknown');

/**
 * The error of a body that cannot tell whether its work was done: the other side went away, or did not answer in time. A
 * call whose second run might do something twice is in doubt then, and a person is asked; any other has failed.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True for an error of a body that cannot tell; of this or of another copy of the package. */
export function isOutcomeUnknown(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
