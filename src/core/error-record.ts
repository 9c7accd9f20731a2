import type { HitlErrorCode } from './errors.js';
import { HitlError, isErrorCode } from './errors.js';

/** An error as the journal keeps it: never a stack, never a key. */
export interface ErrorRecord {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The error that a record tells of; a code that this version does not know counts as a bug. */
export function errorFrom({ code, message, hint }: ErrorRecord, cause?: unknown): HitlError {
  const known: HitlErrorCode = isErrorCode(code) ? code : 'INTERNAL';
  return new HitlError(known, message, {
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  });
}
