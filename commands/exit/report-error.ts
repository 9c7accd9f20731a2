import type { Shown } from '../../src/core/index.js';
import { errnoOf, escapeText, HitlError, isHitlError, messageOf, shown } from '../../src/core/index.js';
import type { ExitStatus } from './exit-codes.js';
import { statusOf } from './exit-codes.js';

export interface ErrorReport {
  readonly status: ExitStatus;
  /** `error: …` and, if available, `hint: …`, for stderr. */
  readonly lines: readonly Shown[];
  /** For JSON output. */
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface ReportOptions {
  /** Whether to add the stack trace. Default: false. */
  readonly verbose?: boolean;
}

/** Default hints, by exit status, for errors that do not have a hint. */
const HINTS: Readonly<Partial<Record<ExitStatus, string>>> = {
  1: 'bug in hitl; report it with the output of `hitl --verbose …`',
  2: 'see `hitl --help`',
  3: 'hitl inbox',
  4: 'see `hitl list`',
  5: 'hitl doctor <id>',
  6: 'check the sessions folder’s disk space and permissions: hitl doctor',
  7: 'progress is saved; retry with: hitl resume <id>',
  9: 'progress is saved; hitl resume <id> retries the failed node and asks its questions again; hitl rewind <id> --to <node> goes further back',
  8: 'progress is saved; extend the limit with: hitl resume <id>',
};

/** Formats an error for people and for scripts, and determines the exit status. Never throws. */
export function reportError(thrown: unknown, { verbose = false }: ReportOptions = {}): ErrorReport {
  const known = isHitlError(thrown) ? thrown : outOfFiles(thrown);
  const code = known?.code ?? 'INTERNAL';
  const message = messageOf(known ?? thrown);
  const status = statusOf(code);
  const hint = known?.hint ?? HINTS[status];
  const stack = verbose && thrown instanceof Error ? (thrown.stack ?? '').split('\n').slice(1) : [];
  return {
    status,
    lines: [
      shown`error: ${escapeText(message)}`,
      ...stack.map((line) => escapeText(line)),
      ...(hint === undefined ? [] : [shown`hint: ${escapeText(hint)}`]),
    ],
    error: { code, message, ...(hint !== undefined && { hint }) },
  };
}

/**
 * Returns the error to report if the system's limit on open files was reached. Such an error is not a bug in
 * hitl.
 */
function outOfFiles(thrown: unknown): HitlError | undefined {
  const errno = errnoOf(thrown);
  if (errno !== 'EMFILE' && errno !== 'ENFILE') return undefined;
  return new HitlError('SAVE_FAILED', `too many open files: ${messageOf(thrown)}`, {
    hint: 'raise the limit (`ulimit -n`), or close other programs',
  });
}
