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

/** Stable error codes for scripts and callers. */
export type HitlErrorCode = keyof typeof CODES;
/** Genkit's status name, which comes from gRPC. */
export type HitlStatus = (typeof CODES)[HitlErrorCode];

/** Whether this version knows the code. */
export function isErrorCode(code: string): code is HitlErrorCode {
  return Object.hasOwn(CODES, code);
}

const BRAND = Symbol.for('hitl.error');

/**
 * Machine-readable details of an error. Only properties that apply are set. A property has the same meaning
 * in every error, and errors may have additional properties. `messages` is declared in
 * `transcript/transcript.ts`.
 */
export interface ErrorDetail {
  /** All problems found. For INVALID_RESUME, BAD_GRAPH, MODEL_REQUEST, BAD_OUTPUT. */
  readonly problems?: readonly unknown[];
  /** The provider's HTTP status. For MODEL_FAILED. */
  readonly status?: number;
  /** The provider's error type, for example `overloaded_error`. For MODEL_FAILED. */
  readonly type?: string;
  /** The request id, to quote to the provider's support. For MODEL_FAILED. */
  readonly requestId?: string;
  /** Whether a retry may help. For MODEL_FAILED. */
  readonly retryable?: boolean;
  /** Milliseconds to wait before a retry. For MODEL_FAILED. */
  readonly retryAfterMs?: number;
  /** Number of requests made before the error was reported. For MODEL_FAILED. */
  readonly tries?: number;
  /**
   * System error name, for example `ENOSPC`; `null` if there is none. For SAVE_FAILED, SESSION_UNREADABLE.
   */
  readonly errno?: string | null;
  /** The file concerned. */
  readonly file?: string;
  /** Line number in a journal or script, counted from 1. */
  readonly line?: number;
  /** Matching sessions. SESSION_AMBIGUOUS. */
  readonly candidates?: readonly unknown[];
  readonly [more: string]: unknown;
}

/** Options for a `HitlError`. */
export interface HitlErrorOptions {
  /** Advice, in one line. */
  readonly hint?: string;
  /** Machine-readable details, printed with `--json`. */
  readonly detail?: ErrorDetail;
  readonly cause?: unknown;
}

/**
 * The only error class that hitl throws: `message` describes the failure, and `hint` explains how to fix it.
 */
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

/** Whether a value is a `HitlError`, from this or another copy of the package. */
export function isHitlError(value: unknown): value is HitlError {
  return bears(value, BRAND);
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return typeof thrown === 'string' ? thrown : String(thrown);
}

/**
 * Returns the system error name, for example `ENOENT`. Returns `undefined` for a `HitlError`, whose `code` is
 * one of hitl's own.
 */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || isHitlError(thrown) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Codes for the reasons that a call ended without an output. */
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

/** The reason that a call ended without an output. */
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
 * Marks an error as a suspension reason. A writer whose session may have been taken over by another process
 * cannot know how the session ends, and must not report that a person stopped it.
 */
export function suspending<Reason extends Error>(reason: Reason): Reason {
  return Object.defineProperty(reason, SUSPENSION, { value: true });
}

/** Whether a value is a suspension reason, from this or another copy of the package. */
export function isSuspension(reason: unknown): boolean {
  return bears(reason, SUSPENSION);
}

const OUTCOME_UNKNOWN = Symbol.for('hitl.outcome-unknown');

/**
 * The error that a tool body throws if it cannot tell whether its work was done because the other side
 * disconnected or did not answer in time. If another run of the call could have a second effect, the call is
 * in doubt and a person is asked; otherwise, the call has failed.
 */
export class OutcomeUnknown extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, OUTCOME_UNKNOWN, { value: true });
  }
}

/** Whether a value is an `OutcomeUnknown` error, from this or another copy of the package. */
export function isOutcomeUnknown(thrown: unknown): boolean {
  return bears(thrown, OUTCOME_UNKNOWN);
}

/**
 * Whether an error is marked with a brand. Errors are recognized by brand because another copy of the package
 * has different classes.
 */
function bears(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
