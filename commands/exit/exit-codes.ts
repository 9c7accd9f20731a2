import type { HitlErrorCode } from '../../src/core/index.js';

/** Meanings of the exit statuses, printed by `hitl help exit-codes`. */
export const EXIT_STATUSES = {
  0: 'finished, no open questions',
  1: 'unexpected error (a bug)',
  2: 'usage error: flag, answer, input or configuration',
  3: 'waiting for a person; session saved',
  4: 'session not found, ambiguous prefix, or in use by another process',
  5: 'session damaged: opened read-only; see `hitl doctor <id>`',
  6: 'could not save, or store unreachable: disk full, read-only, permissions, no database',
  7: 'the model provider failed after retries',
  8: 'limit reached and not extended',
  9: 'cancelled by a person, or a workflow failed; progress is saved',
  10: 'the model did not finish: it refused, its reply was cut off or is invalid, or the context is full',
  129: 'SIGHUP; the session is saved',
  130: 'SIGINT; the session is saved',
  143: 'SIGTERM; the session is saved',
} as const;

export type ExitStatus = keyof typeof EXIT_STATUSES;

/** Exit status for each error code. The type makes the build fail if a code is missing. */
const STATUS_OF: Readonly<Record<HitlErrorCode, ExitStatus>> = {
  USAGE: 2,
  BAD_INPUT: 2,
  BAD_ANSWER: 2,
  NOT_ELIGIBLE: 2,
  BAD_CONFIG: 2,
  BAD_TOOL_MODULE: 2,
  BAD_TRANSCRIPT: 2,
  BAD_SCRIPT: 2,
  DUPLICATE_TOOL: 2,
  INVALID_RESUME: 2,
  NOTHING_TO_RESUME: 2,
  OPEN_INTERRUPT: 3,
  TOOL_NOT_FOUND: 2,
  TOOL_INPUT: 2,
  TOOL_FAILED: 1,
  TURN_LIMIT: 8,
  ABORTED: 130,
  BAD_GRAPH: 2,
  BAD_STATE: 9,
  MERGE_CONFLICT: 9,
  SESSION_NOT_FOUND: 4,
  SESSION_AMBIGUOUS: 4,
  SESSION_EXISTS: 4,
  SESSION_ID: 2,
  SESSION_LOCKED: 4,
  SESSION_BUSY: 4,
  SESSION_CLOSED: 1,
  LOCK_UNAVAILABLE: 6,
  SESSION_DAMAGED: 5,
  SESSION_NEWER: 5,
  SESSION_UNREADABLE: 5,
  SESSION_UNSAFE: 5,
  STORE_UNAVAILABLE: 6,
  SAVE_FAILED: 6,
  VERSION_CONFLICT: 4,
  ILLEGAL_EVENT: 5,
  ALREADY_ANSWERED: 2,
  INTERRUPT_NOT_FOUND: 2,
  MODEL_FAILED: 7,
  MODEL_REQUEST: 7,
  MODEL_NOT_FOUND: 7,
  BAD_OUTPUT: 10,
  REPLAY_DIFFERS: 7,
  LIMIT_REACHED: 8,
  QUEUE_FULL: 8,
  NODE_FAILED: 9,
  NONDETERMINISM: 9,
  DONE_ONCE: 2,
  INTERNAL: 1,
};

/** Returns the exit status for an error code. */
export function statusOf(code: HitlErrorCode): ExitStatus {
  return STATUS_OF[code];
}

/** Formats the table for `hitl help exit-codes`, one line per status. */
export function exitCodesText(): string {
  return Object.entries(EXIT_STATUSES)
    .map(([status, meaning]) => `${status.padStart(4)}  ${meaning}`)
    .join('\n');
}
