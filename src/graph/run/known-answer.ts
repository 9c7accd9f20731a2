import type { AskRecord, JsonValue, SecretVault, Start } from '../../core/index.js';
import { termsProblems } from '../../core/index.js';

/**
 * Returns the answer to a question, including its secrets; `undefined` if there is no answer or one of its
 * secrets has been lost.
 */
export function answerTo({ interrupt, answer }: AskRecord, vault: SecretVault): JsonValue | undefined {
  if (answer?.secrets === undefined) return answer?.value;
  return vault.reveal(answer.value, { interrupt: interrupt.id, of: 'output', at: answer.secrets });
}

/**
 * Returns the reasons that an answer is no longer valid, for example because it was given for different code
 * or has expired. An answer that a step has already used stays valid.
 * @param isUsed whether a step has already started with the answer
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
