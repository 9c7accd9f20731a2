import type { SessionRule, Shown } from '../../src/core/index.js';
import { plainLine, sessionRuleText, shown } from '../../src/core/index.js';

/** The width of a rule in a line. */
const RULE_COLUMNS = 200;

/** Lists, in words, the rules of a session that going back voided. */
export function voidedRules(
  before: readonly SessionRule[],
  after: readonly SessionRule[],
): readonly string[] {
  return [...new Set(before.filter((rule) => !after.includes(rule)).map(sessionRuleText))];
}

/** Says which rules of the session do not count any more; none where all do. */
export function voidedLines(rules: readonly string[]): readonly Shown[] {
  if (rules.length === 0) return [];
  return [
    shown`these later approvals are no longer valid:`,
    ...rules.map((rule) => shown`  ${plainLine(rule, RULE_COLUMNS)}`),
  ];
}
