import { HitlError, isLegalToolName } from '../core/index.js';

/** Returns the name shown to the model: the part after the last `/`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Checks the name of a tool, with or without a namespace.
 * @throws HitlError BAD_CONFIG
 */
export function checkToolName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || !name.split('/').every(isLegalToolName)) {
    throw new HitlError(
      'BAD_CONFIG',
      `invalid tool name ${typeof name === 'string' ? JSON.stringify(name) : typeof name}`,
      {
        hint: 'a name is 1 to 64 letters, digits, `_` or `-`; optionally with a namespace: `bank/transfer_money`',
      },
    );
  }
}
