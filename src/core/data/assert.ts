import { HitlError } from './errors.js';

/** Does not compile where a member of a union is not handled; throws where data lied about its type. */
export function assertNever(value: never): never {
  throw new HitlError('INTERNAL', `unexpected value ${JSON.stringify(value)}`);
}

/**
 * Throws when a condition that the code relies on does not hold.
 * @throws HitlError INTERNAL
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new HitlError('INTERNAL', message);
}
