import { escapeText, isHitlError, messageOf } from '../src/core/index.js';
import type { ExitStatus } from './exit-codes.js';
import { statusOf } from './exit-codes.js';

export interface ErrorReport {
  readonly status: ExitStatus;
  /** `error: …` and, where there is one, `hint: …`; for stderr. */
  readonly lines: readonly string[];
  /** For JSON output. */
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface ReportOptions {
  /** Adds the stack. Default false. */
  readonly verbose?: boolean;
}

const BUG_HINT = 'this is a bug in hitl: please report it with the output of `hitl --verbose …`';

/** What an error says to a person and to a script, with its exit status. Never throws. */
export function reportError(thrown: unknown, { verbose = false }: ReportOptions = {}): ErrorReport {
  const known = isHitlError(thrown) ? thrown : undefined;
  const code = known?.code ?? 'INTERNAL';
  const message = messageOf(thrown);
  const hint = known === undefined || code === 'INTERNAL' ? (known?.hint ?? BUG_HINT) : known.hint;
  const stack = verbose && thrown instanceof Error ? (thrown.stack ?? '').split('\n').slice(1) : [];
  return {
    status: statusOf(code),
    lines: [
      `error: ${escapeText(message)}`,
      ...stack.map((line) => escapeText(line)),
      ...(hint === undefined ? [] : [`hint: ${escapeText(hint)}`]),
    ],
    error: { code, message, ...(hint !== undefined && { hint }) },
  };
}
