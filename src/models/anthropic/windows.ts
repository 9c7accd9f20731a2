import { familyOf, hasPrice } from './prices.js';

// As listed on 2026-10-24. Source: platform.claude.com/docs/en/build-with-claude/context-windows.

const USUAL_TOKENS = 200_000;
const LARGE_TOKENS = 1_000_000;

/** Models with the large window. */
const LARGE: readonly string[] = [
  'claude-fable-5-1',
  'claude-mythos-5-1',
  'claude-fable-5',
  'claude-mythos-5',
  'claude-opus-5-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-5-5',
  'claude-sonnet-5',
  'claude-sonnet-4-6',
  'claude-haiku-5-5',
];

/**
 * Gives the number of tokens that a request and its reply may have together; `undefined` for a model that is not known.
 */
export function windowOf(model: string): number | undefined {
  if (LARGE.includes(familyOf(model))) return LARGE_TOKENS;
  return hasPrice(model) ? USUAL_TOKENS : undefined;
}
