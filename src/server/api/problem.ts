import type { ErrorRecord, HitlError, HitlStatus } from '../../core/index.js';
import { isHitlError } from '../../core/index.js';

/** The status of HTTP for each kind of failure. */
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

/** A failure as a program reads it. */
export interface Problem {
  readonly status: number;
  readonly error: ErrorRecord;
}

/** Says what went wrong; of a bug nothing but that there was one. */
export function problemOf(thrown: unknown): Problem {
  if (!isHitlError(thrown)) return { status: 500, error: { code: 'INTERNAL', message: 'something failed' } };
  return { status: STATUSES[thrown.status], error: recordOf(thrown) };
}

function recordOf({ code, message, hint }: HitlError): ErrorRecord {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** The response of a failure. */
export function problemResponse({ status, error }: Problem): Response {
  return Response.json({ error }, { status });
}

/** A refusal by the server itself. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: { readonly hint?: string; readonly first?: object } = {},
): Response {
  return Response.json({ error: { code, message, ...more } }, { status });
}
