import type { RulePlace, ToolRule } from '../../src/core/index.js';
import { HitlError, readRule } from '../../src/core/index.js';
import type { RunFlags } from '../flags/index.js';

type RuleFlags = Pick<RunFlags, 'allow' | 'yes' | 'denyTool' | 'dangerouslyApproveAll'>;

/**
 * The rules that the flags of a run make: `--allow`, `--yes` (the same), `--deny-tool`, `--dangerously-approve-all`.
 * They stand in one list with those of the configuration and of the session; nothing else approves in advance.
 * @throws HitlError USAGE for one that cannot be read.
 */
export function flagRules(flags: RuleFlags, place: RulePlace): readonly ToolRule[] {
  const { allow = [], yes = [], denyTool = [], dangerouslyApproveAll: all } = flags;
  return [
    ...allow.map((text) => ruleOf('allow', '--allow', text, place)),
    ...yes.map((text) => ruleOf('allow', '--yes', text, place)),
    // A tool that is not offered may still be asked about in a session that had it.
    ...denyTool.map((text) => ruleOf('deny', '--deny-tool', text, place)),
    ...(all === true
      ? [{ effect: 'allow', tool: '*', text: '--dangerously-approve-all', from: LINE } as const]
      : []),
  ];
}

const LINE = 'the command line';

function ruleOf(effect: 'allow' | 'deny', flag: string, text: string, place: RulePlace): ToolRule {
  const rule = readRule(effect, text, LINE, place);
  const { problem } = rule;
  if (problem === undefined) return { ...rule, text: `${flag} ${text}` };
  throw new HitlError('USAGE', `\`${flag} ${text}\` cannot be read: ${problem}`, {
    hint: 'hitl rules add --help',
  });
}
