import type { AskRecord, JsonValue, SecretVault, Start } from '../../core/index.js';
import { termsProblems } from '../../core/index.js';

/** Returns a question's answer with its secrets; `undefined` if there is none, or a secret is gone. */
export function answerTo({ interrupt, answer }: AskRecord, vault: SecretVault): JsonValue | undefined {
  if (answer?.secrets === undefined) return answer?.value;
  return vault.reveal(answer.value, { interrupt: interrupt.id, of: 'output', at: answer.secrets });
}

/**
 * Explains why an answer does not cover a start: it was given for other code, or has expired. What a step
 * already used stays.
 * @param isUsed something has started with it
 */
export function lapsedLines(
  { answer }: AskRecord,
  start: Start,
  { what, isUsed }: { readonly what: string; readonly isUsed: boolean },
): readonly string[] {
  return answer?.terms === undefined || isUsed
    ? []
    : termsProblems(answer.terms, start, { what, done: 'answered' });
}
