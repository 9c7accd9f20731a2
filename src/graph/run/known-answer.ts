import type { AskRecord, JsonValue, SecretVault } from '../../core/index.js';

/** The answer to a question with the secrets in it; `undefined` where there is none, or one is not here any more. */
export function answerTo({ interrupt, answer }: AskRecord, vault: SecretVault): JsonValue | undefined {
  if (answer?.secrets === undefined) return answer?.value;
  return vault.reveal(answer.value, { interrupt: interrupt.id, of: 'output', at: answer.secrets });
}
