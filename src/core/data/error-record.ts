import type { HitlErrorCode } from './errors.js';
import { HitlError, isErrorCode, isHitlError, messageOf } from './errors.js';
import type { JsonValue } from './json.js';
import { isJson, isJsonObject, present } from './json.js';

/** An error as the journal stores it, without stack traces or keys. */
export interface ErrorRecord {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** Additional properties of a thrown value that was not a `HitlError`. */
  readonly thrown?: ThrownRecord;
}

/** Properties of a thrown value that code can branch on. */
export interface ThrownRecord {
  readonly name: string;
  readonly code?: string | number;
  /** Details of the thrown value; absent if they were not JSON. */
  readonly details?: JsonValue;
}

/** Restores an error from its record. An unknown code becomes an internal error. */
export function errorFrom(record: ErrorRecord, cause?: unknown): HitlError {
  const { code, message, hint, thrown } = record;
  const known: HitlErrorCode = isErrorCode(code) ? code : 'INTERNAL';
  const because = cause ?? (thrown && rebuilt(message, thrown));
  return new HitlError(known, message, {
    ...(hint !== undefined && { hint }),
    ...(because !== undefined && { cause: because }),
  });
}

/**
 * Restores the error that the code catches, in the first run and in each replay: an error with the recorded
 * `name`, `code` and `details`, or else a `HitlError`.
 */
export function thrownFrom(record: ErrorRecord): Error {
  const { message, thrown } = record;
  return thrown === undefined ? errorFrom(record) : rebuilt(message, thrown);
}

function rebuilt(message: string, { name, ...rest }: ThrownRecord): Error {
  const error = Object.assign(new Error(message), rest);
  return Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
}

/** Creates the journal's record of a thrown value. */
export function recordOf(thrown: unknown): ErrorRecord {
  if (isHitlError(thrown)) {
    const { code, message, hint } = thrown;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  if (!isJsonObject(thrown) || thrown instanceof Error)
    return { code: 'NODE_FAILED', message: messageOf(thrown), ...present({ thrown: thrownOf(thrown) }) };
  const message = typeof thrown['message'] === 'string' ? thrown['message'] : jsonText(thrown);
  return { code: 'NODE_FAILED', message, ...present({ thrown: thrownOf({ details: thrown, ...thrown }) }) };
}

/** Formats a thrown object that is not an error. */
function jsonText(thrown: object): string {
  return isJson(thrown) ? JSON.stringify(thrown) : messageOf(thrown);
}

function thrownOf(thrown: unknown): ThrownRecord | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const name = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
  const code = 'code' in thrown && isCode(thrown.code) ? thrown.code : undefined;
  const details = 'details' in thrown && isJson(thrown.details) ? thrown.details : undefined;
  if (name === 'Error' && code === undefined && details === undefined) return undefined;
  return { name, ...present({ code, details }) };
}

function isCode(code: unknown): code is string | number {
  return typeof code === 'string' || (typeof code === 'number' && Number.isFinite(code));
}
