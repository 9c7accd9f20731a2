import { HitlError } from '../core/index.js';

/** What model providers accept as the name of a tool (G19). */
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name that a model sees: what follows the last `/`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Checks a tool's name, with or without a namespace in front of it.
 * @throws HitlError BAD_CONFIG
 */
export function checkToolName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || !name.split('/').every((segment) => LEGAL.test(segment))) {
    throw new HitlError(
      'BAD_CONFIG',
      `the tool name ${typeof name === 'string' ? JSON.stringify(name) : typeof name} is not legal`,
      {
        hint: 'a name is 1 to 64 letters, digits, `_` or `-`; a namespace may stand before it: `bank/transfer_money`',
      },
    );
  }
}
