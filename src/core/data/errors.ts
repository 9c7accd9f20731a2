const CODES = {
  // usage
  USAGE: 'INVALID_ARGUMENT',
  BAD_INPUT: 'INVALID_ARGUMENT',
  BAD_ANSWER: 'INVALID_ARGUMENT',
  NOT_ELIGIBLE: 'PERMISSION_DENIED',
  BAD_CONFIG: 'INVALID_ARGUMENT',
  BAD_TOOL_MODULE: 'INVALID_ARGUMENT',
  BAD_TRANSCRIPT: 'INVALID_ARGUMENT',
  BAD_SCRIPT: 'INVALID_ARGUMENT',
  DUPLICATE_TOOL: 'INVALID_ARGUMENT',
  // engine
  INVALID_RESUME: 'INVALID_ARGUMENT',
  NOTHING_TO_RESUME: 'FAILED_PRECONDITION',
  OPEN_INTERRUPT: 'FAILED_PRECONDITION',
  TOOL_NOT_FOUND: 'NOT_FOUND',
  TOOL_INPUT: 'INVALID_ARGUMENT',
  TOOL_FAILED: 'INTERNAL',
  TURN_LIMIT: 'ABORTED',
  ABORTED: 'ABORTED',
  // graph
  BAD_GRAPH: 'INVALID_ARGUMENT',
  BAD_STATE: 'INVALID_ARGUMENT',
  MERGE_CONFLICT: 'FAILED_PRECONDITION',
  NODE_FAILED: 'INTERNAL',
  NONDETERMINISM: 'FAILED_PRECONDITION',
  DONE_ONCE: 'FAILED_PRECONDITION',
  // sessions
  SESSION_NOT_FOUND: 'NOT_FOUND',
  SESSION_AMBIGUOUS: 'INVALID_ARGUMENT',
  SESSION_EXISTS: 'ALREADY_EXISTS',
  SESSION_ID: 'INVALID_ARGUMENT',
  SESSION_LOCKED: 'UNAVAILABLE',
  SESSION_BUSY: 'FAILED_PRECONDITION',
  SESSION_CLOSED: 'FAILED_PRECONDITION',
  LOCK_UNAVAILABLE: 'UNAVAILABLE',
  SESSION_DAMAGED: 'DATA_LOSS',
  SESSION_NEWER: 'UNAVAILABLE',
  SESSION_UNREADABLE: 'PERMISSION_DENIED',
  SESSION_UNSAFE: 'PERMISSION_DENIED',
  STORE_UNAVAILABLE: 'UNAVAILABLE',
  SAVE_FAILED: 'UNAVAILABLE',
  VERSION_CONFLICT: 'ABORTED',
  ILLEGAL_EVENT: 'DATA_LOSS',
  ALREADY_ANSWERED: 'FAILED_PRECONDITION',
  INTERRUPT_NOT_FOUND: 'NOT_FOUND',
  // models
  MODEL_FAILED: 'UNAVAILABLE',
  MODEL_REQUEST: 'INVALID_ARGUMENT',
  MODEL_NOT_FOUND: 'NOT_FOUND',
  BAD_OUTPUT: 'FAILED_PRECONDITION',
  REPLAY_DIFFERS: 'FAILED_PRECONDITION',
  // the rest
  LIMIT_REACHED: 'RESOURCE_EXHAUSTED',
  QUEUE_FULL: 'RESOURCE_EXHAUSTED',
  INTERNAL: 'INTERNAL',
} as const;

/** Stable codes for scripts and callers. */
export type HitlErrorCode = keyof typeof CODES;
/** Genkit's (gRPC's) status name. */
export type HitlStatus = (typeof CODES)[HitlErrorCode];

/** Whether this version knows the code. */
export function isErrorCode(code: string): code is HitlErrorCode {
  return Object.hasOwn(CODES, code);
}

const BRAND = Symbol.for('hitl.error');

/**
 * Machine-readable details of an error; a property is set if the error has it. Each property means the same in every
 * error, and errors may have others. `messages` is declared in `transcript/transcript.ts`.
 */
export interface ErrorDetail {
  /** All problems found. INVALID_RESUME, BAD_GRAPH, MODEL_REQUEST, BAD_OUTPUT. */
  readonly problems?: readonly unknown[];
  /** The provider's HTTP status. MODEL_FAILED. */
  readonly status?: number;
  /** The provider's error type: `overloaded_error`. MODEL_FAILED. */
  readonly type?: string;
  /** The request id, for the provider's support. MODEL_FAILED. */
  readonly requestId?: string;
  /** Whether a retry may help. MODEL_FAILED. */
  readonly retryable?: boolean;
  /** Milliseconds to wait before a retry. MODEL_FAILED. */
  readonly retryAfterMs?: number;
  /** Number of requests before the error. MODEL_FAILED. */
  readonly tries?: number;
  /** System error name: `ENOSPC`; `null` if there is none. SAVE_FAILED, SESSION_UNREADABLE. */
  readonly errno?: string | null;
  /** The file concerned. */
  readonly file?: string;
  /** The line of a journal or script, from 1. */
  readonly line?: number;
  /** Matching sessions. SESSION_AMBIGUOUS. */
  readonly candidates?: readonly unknown[];
  readonly [more: string]: unknown;
}

/** The options of a `HitlError`. */
export interface HitlErrorOptions {
  /** One line of advice. */
  readonly hint?: string;
  /** Machine-readable details, printed with `--json`. */
  readonly detail?: ErrorDetail;
  readonly cause?: unknown;
}

/** The only error class of hitl: `message` describes the failure, `hint` the remedy. */
export class HitlError extends Error {
  override readonly name = 'HitlError';
  readonly code: HitlErrorCode;
  /** Genkit's status name. */
  readonly status: HitlStatus;
  readonly hint: string | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(code: HitlErrorCode, message: string, options: HitlErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = CODES[code];
    this.hint = options.hint;
    this.detail = options.detail;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether a value is a `HitlError` of this or another copy of the package. */
export function isHitlError(value: unknown): value is HitlError {
  return bears(value, BRAND);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return typeof thrown === 'string' ? thrown : String(thrown);
}

/** The system's name of an error: `ENOENT`; none for a `HitlError`, whose `code` is ours. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || isHitlError(thrown) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Reasons why a call ended without an output. */
export const TOOL_ERROR_CODES = [
  'failed',
  'invalid-input',
  'invalid-output',
  'not-found',
  'timeout',
  'rejected',
  'cancelled',
  'aborted',
  'not-run',
] as const;

/** Reasons why a tool call can fail. */
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

const SUSPENSION = Symbol.for('hitl.suspension');

/**
 * An abort reason that suspends a run: the program must stop, but nobody decided to end the run. The run is left as
 * if the process had died: no end is recorded, and started calls stay started.
 */
export class Suspension extends Error {
  override readonly name = 'AbortError';

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, SUSPENSION, { value: true });
  }
}

/**
 * Makes an error the reason of a suspension too: a writer whose session another process may have taken cannot say what
 * becomes of it, and above all not that a person stopped it.
 */
export function suspending<Reason extends Error>(reason: Reason): Reason {
  return Object.defineProperty(reason, SUSPENSION, { value: true });
}

/** True for the reason of a suspension; of this or of another copy of the package. */
export function isSuspension(reason: unknown): boolean {
  return bears(reason, SUSPENSION);
}

const OUTCOME_UNKNOWN = Symbol.for('hitl.outcome-unknown');

/**
 * The error of a body that cannot tell whether its work was done: the other side went away, or did not answer in time. A
 * call whose second run might do something twice is in doubt then, and a person is asked; any other has failed.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, OUTCOME_UNKNOWN, { value: true });
  }
}

/** True for an error of a body that cannot tell; of this or of another copy of the package. */
export function isOutcomeUnknown(thrown: unknown): boolean {
  return bears(thrown, OUTCOME_UNKNOWN);
}

/** Errors are known by their brand: a class of another copy of the package is another class. */
function bears(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
