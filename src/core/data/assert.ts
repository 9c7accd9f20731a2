import { HitlError } from './errors.js';

/**
 * Fails to compile if a union member is not handled. Throws at run time if a value does not match its type.
 */
export function assertNever(value: never): never {
  throw new HitlError('INTERNAL', `unexpected value ${JSON.stringify(value)}`);
}

/**
 * Throws if a required condition does not hold.
 * @throws HitlError INTERNAL
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new HitlError('INTERNAL', message);
}
