import type { ParseResult } from '../core/index.js';
import { messageOf } from '../core/index.js';

/**
 * Runs a tool's check of a value, and answers at once where the check does. A check that breaks counts as not passed.
 * Never throws.
 */
export function checked(check: () => ParseResult | Promise<ParseResult>): ParseResult | Promise<ParseResult> {
  try {
    const result = check();
    return result instanceof Promise ? result.catch(broken) : result;
  } catch (thrown) {
    return broken(thrown);
  }
}

function broken(thrown: unknown): ParseResult {
  return { ok: false, issues: [messageOf(thrown)] };
}
