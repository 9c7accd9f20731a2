import type { AskRecord, JsonValue, SecretVault, Start } from '../../core/index.js';
import { termsProblems } from '../../core/index.js';

/** The answer to a question with the secrets in it; `undefined` where there is none, or one is not here any more. */
export function answerTo({ interrupt, answer }: AskRecord, vault: SecretVault): JsonValue | undefined {
  if (answer?.secrets === undefined) return answer?.value;
  return vault.reveal(answer.value, { interrupt: interrupt.id, of: 'output', at: answer.secrets });
}

/**
 * Says why an answer does not count for a start: it was given to other code, or its time is over. What the body
 * went on with to a step stands.
 * @param isUsed something has begun with it
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
