const BRAND = Symbol.for('hitl.outcome-unknown');

/**
 * Thrown by a tool that cannot tell whether its work was done: the other side disconnected, or did not answer
 * in time. A call that must not run twice is then in doubt and a person is asked; any other has failed.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether an error is an `OutcomeUnknown` of this or another copy of the package. */
export function isOutcomeUnknown(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && Object.hasOwn(thrown, BRAND);
}
