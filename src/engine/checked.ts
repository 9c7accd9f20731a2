import type { ParseResult } from '../core/index.js';
import { messageOf } from '../core/index.js';

/** What a tool's check of a value says; a check that breaks is one that the value did not pass. Never throws. */
export async function checked(check: () => ParseResult | Promise<ParseResult>): Promise<ParseResult> {
  try {
    return await check();
  } catch (thrown) {
    return { ok: false, issues: [messageOf(thrown)] };
  }
}
