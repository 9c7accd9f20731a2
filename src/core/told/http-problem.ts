import type { ErrorRecord } from '../data/error-record.js';
import type { HitlStatus } from '../data/errors.js';
import { isHitlError } from '../data/errors.js';

/** The HTTP status for each kind of failure. */
const STATUSES: Readonly<Record<HitlStatus, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 409,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  ABORTED: 409,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  INTERNAL: 500,
};

/** Value of the `retry-after` header after a temporary failure, in seconds. */
const AGAIN_S = '5';

/** A failure in the form that is reported to a client. */
export interface Problem {
  readonly status: number;
  /** HTTP header for a temporary failure. */
  readonly headers?: { readonly 'retry-after': string };
  readonly error: ErrorRecord;
}

/**
 * Converts an error to a problem response. The response never contains a stack trace, or any details of an
 * internal error.
 */
export function problemOf(thrown: unknown): Problem {
  if (!isHitlError(thrown)) return { status: 500, error: { code: 'INTERNAL', message: 'something failed' } };
  const { code, message, hint, status } = thrown;
  const error = { code, message, ...(hint !== undefined && { hint }) };
  if (status !== 'UNAVAILABLE') return { status: STATUSES[status], error };
  return { status: STATUSES[status], headers: { 'retry-after': AGAIN_S }, error };
}
