import type { SessionRule, Shown } from '../../src/core/index.js';
import { plainLine, sessionRuleText, shown } from '../../src/core/index.js';

/** Width of a rule, in columns. */
const RULE_COLUMNS = 200;

/** Lists the session rules that were revoked by going back. */
export function voidedRules(
  before: readonly SessionRule[],
  after: readonly SessionRule[],
): readonly string[] {
  return [...new Set(before.filter((rule) => !after.includes(rule)).map(sessionRuleText))];
}

/** Formats the revoked session rules; empty if there are none. */
export function voidedLines(rules: readonly string[]): readonly Shown[] {
  if (rules.length === 0) return [];
  return [
    shown`these later approvals are no longer valid:`,
    ...rules.map((rule) => shown`  ${plainLine(rule, RULE_COLUMNS)}`),
  ];
}
