// Invariants:
// H1 A rule allows only a call that was looked at whole: a part that hitl does not know is a person's to allow.
import type { ToolRule } from '../../src/core/index.js';
import { isAbout, judgeCall } from '../../src/core/index.js';
import { effectiveFlags } from '../config/effective.js';
import { RuleBindings } from '../config/rule-bindings.js';
import { RulesInForce } from '../agent/rules-in-force.js';
import type { SessionFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { PlannedCall } from '../asking/planned.js';

/** The verdict of the user's rules on a call. */
export type Judged =
  | { readonly type: 'allow' | 'deny' | 'ask'; readonly why: string }
  /** No rule applies. */
  | { readonly type: 'none' };

/**
 * Reads the rules for a tool from the user's configuration and the folder's. Ignores hitl's modes, because
 * they apply only to hitl's own sessions and the agent has modes of its own.
 * @throws HitlError BAD_CONFIG
 */
export async function rulesAbout(io: Io, name: string, given: SessionFlags): Promise<readonly ToolRule[]> {
  const { flags } = await effectiveFlags(io, given);
  if (flags.rules === undefined) return [];
  const bindings = await RuleBindings.read(io, { saves: false });
  return new RulesInForce(io, flags, { mode: 'ask', bindings }).all.filter((rule) => isAbout(rule, name));
}

/** Judges a call according to the rules. */
export function judged(plan: PlannedCall, rules: readonly ToolRule[]): Judged {
  const verdicts = plan.ruled.map((call) => judgeCall(rules, call));
  for (const effects of [['deny'], ['doubt', 'ask', 'review']]) {
    const found = verdicts.find((one) => one !== undefined && effects.includes(one.effect));
    if (found !== undefined)
      return {
        type: effects.includes('deny') ? 'deny' : 'ask',
        why: `rule \`${found.rule.text}\` (${found.rule.from}) ${found.says}`,
      };
  }
  const [first] = verdicts;
  if (first === undefined || !plan.isWhole || verdicts.includes(undefined)) return { type: 'none' }; // H1
  return { type: 'allow', why: `rule \`${first.rule.text}\` (${first.rule.from}) ${first.says}` };
}
