import type { Tool, ToolRule } from '../core/index.js';
import { judgeCall, nearlyAllowed } from '../core/index.js';
import { requireApproval } from './require-approval.js';

/**
 * The tool under rules: a call that one denies, asks about or may be about is asked about before its body runs, and
 * nobody can agree to one that is denied. What rules allow is decided where the question is answered.
 */
export function underRules<Ruled extends Tool>(tool: Ruled, rules: readonly ToolRule[]): Ruled {
  const own = rules.filter((rule) => rule.tool === '*' || rule.tool === tool.name);
  if (own.length === 0) return tool;
  const asking = requireApproval(tool, (input, _signal, request) => {
    const facts = request?.facts ?? {};
    const verdict = judgeCall(own, tool.name, input, facts);
    if (verdict === undefined) {
      const rule = request === undefined ? undefined : nearlyAllowed(own, tool.name, input, facts);
      return rule === undefined ? undefined : { facts: { rule } };
    }
    if (verdict.effect === 'allow') return undefined;
    return { facts: { rule: `${verdict.rule.text} (${verdict.rule.from})` } };
  });
  return {
    ...asking,
    forbids(input) {
      const verdict = judgeCall(own, tool.name, input);
      if (verdict?.effect !== 'deny') return tool.forbids?.(input);
      return `the rule \`${verdict.rule.text}\` denies it`;
    },
  };
}
