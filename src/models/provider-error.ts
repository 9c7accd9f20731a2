import type { HitlErrorCode } from '../core/index.js';
import { HitlError, isHitlError, present } from '../core/index.js';

/** Details of a provider failure, stored as the `detail` of a `HitlError`. */
export interface ProviderFailure {
  /** HTTP status. Absent if there was no response, or if the failure happened while receiving one. */
  readonly status?: number;
  /** The provider's error code, for example `overloaded_error`. */
  readonly type?: string;
  readonly requestId?: string;
  /** Whether a retry may help. */
  readonly retryable: boolean;
  /** Delay requested by the provider. */
  readonly retryAfterMs?: number;
  /** Number of attempts made before giving up. */
  readonly tries?: number;
}

/** Failure details supplied by an adapter. None of the strings may contain a key (see `scrub`). */
export interface FailureReport extends Omit<ProviderFailure, 'retryable' | 'tries'> {
  /** Name of the party that failed, for example `Anthropic` or `the server at localhost:11434`. */
  readonly who: string;
  readonly model: string;
  /** Description of the failure, written by the provider or by the adapter. */
  readonly message: string;
  /** Default: by status. */
  readonly retryable?: boolean;
  /** The environment variable that contains the key. */
  readonly keyVariable: string;
  /** Similar model names. */
  readonly near?: readonly string[];
}

const RETRYABLE_STATUS = new Set([408, 409, 429, 529]);
const RETRYABLE_TYPE = new Set(['overloaded_error', 'rate_limit_error', 'api_error', 'timeout_error']);
const TOO_LONG =
  /too long|too large|context (?:window|length)|maximum context|exceeds? the (?:limit|maximum)/i;

function isRetryable({ status, type }: FailureReport): boolean {
  if (status === undefined) return type === undefined || RETRYABLE_TYPE.has(type);
  return RETRYABLE_STATUS.has(status) || status >= 500;
}

/** Whether the status is a redirect. */
export function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/** Describes a redirect, including its target if known. */
export function redirected(location: string | null): string {
  return location === null ? 'redirect not followed' : `redirect to ${location} not followed`;
}

function isTooLong({ status, message }: FailureReport): boolean {
  return status === 413 || (status === 400 && TOO_LONG.test(message));
}

function hintFor(report: FailureReport): string {
  const { status, type, model, keyVariable, near = [], retryAfterMs } = report;
  if (isTooLong(report)) {
    return 'the conversation is too long for this model; start a new session, and limit tool output';
  }
  if (isRedirect(status)) return 'if you trust that address with your key, set it with --base-url';
  if (status === 401 || type === 'authentication_error') {
    return `set ${keyVariable} to a valid key, or choose another model: --model demo`;
  }
  if (status === 402 || type === 'billing_error') return 'check the plan and balance of this key’s account';
  if (status === 403)
    return `this key is not allowed to do that; check its permissions for \`${model}\`, or choose another model`;
  if (status === 404) {
    const guess = near.length === 0 ? '' : `did you mean ${near.map((name) => `\`${name}\``).join(' or ')}? `;
    return `${guess}choose another with --model, and check --base-url`;
  }
  if (status === 429)
    return `wait ${retryAfterMs === undefined ? 'a minute' : seconds(retryAfterMs)} and resume the session`;
  if (report.retryable ?? isRetryable(report)) {
    return status === undefined
      ? 'check the network and --base-url; the session is saved and can be resumed'
      : 'try again in a few minutes; the session is saved and can be resumed';
  }
  return 'not retryable; if the request looks right, report it with the request id';
}

/** Formats milliseconds as seconds, rounded up: `90 s`. */
export function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

/** Converts a provider failure to a `HitlError`: MODEL_NOT_FOUND for status 404, otherwise MODEL_FAILED. */
export function providerError(report: FailureReport, cause?: unknown): HitlError {
  const { who, model, status, type, message, requestId, retryAfterMs } = report;
  const answered = status === undefined ? `${who} failed` : `${who} answered ${status}`;
  const words = [answered, ...(type === undefined ? [] : [type])].join(' ');
  const code: HitlErrorCode = status === 404 ? 'MODEL_NOT_FOUND' : 'MODEL_FAILED';
  const about = code === 'MODEL_NOT_FOUND' ? `no model \`${model}\`: ` : '';
  const id = requestId === undefined ? '' : ` (request ${requestId})`;
  const detail: ProviderFailure = {
    ...present({ status, type, requestId }),
    retryable: report.retryable ?? isRetryable(report),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const hint = hintFor(report);
  return new HitlError(code, `${about}${words}: ${message}${id}`, { hint, detail: { ...detail }, cause });
}

/** Returns the failure details of an error created by `providerError`; `undefined` for any other error. */
export function failureOf(thrown: unknown): ProviderFailure | undefined {
  if (!isHitlError(thrown) || !isFailure(thrown.detail)) return undefined;
  return thrown.detail;
}

function isFailure(detail: unknown): detail is ProviderFailure {
  return (
    typeof detail === 'object' &&
    detail !== null &&
    'retryable' in detail &&
    typeof detail.retryable === 'boolean'
  );
}

/** Adds the number of attempts to an error. */
export function afterTries(error: HitlError, failure: ProviderFailure, tries: number): HitlError {
  if (tries < 2) return error;
  return new HitlError(error.code, `${error.message}, after ${tries} tries`, {
    ...(error.hint !== undefined && { hint: error.hint }),
    detail: { ...failure, tries },
    cause: error.cause,
  });
}

/**
 * Parses `retry-after-ms` or `retry-after` (seconds or a date) and returns milliseconds from `now`. Returns
 * `undefined` if the header is missing or invalid.
 */
export function retryAfterOf(header: (name: string) => string | null, now: number): number | undefined {
  const ms = Number(header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = header('retry-after')?.trim() ?? '';
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  // Only a date that begins with the name of a day: `Date.parse` makes one of nearly anything.
  const date = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
