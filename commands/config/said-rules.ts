import type { RulePlace, ToolRule } from '../../src/core/index.js';
import { HitlError, readRule } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { ConfigFiles, LoadedConfig } from './config-file.js';
import type { ConfiguredRules } from './configured-rules.js';
import { configuredRules } from './configured-rules.js';
import { rulePlace } from './project-place.js';

type RuleFlags = Pick<RunFlags, 'allow' | 'yes' | 'denyTool' | 'dangerouslyApproveAll'>;

/**
 * Returns the rules set by flags: `--allow`, `--yes` (an alias), `--deny-tool`, `--dangerously-approve-all`.
 * They are added to the rules of the configuration and the session. No other flag approves calls in advance.
 * @throws HitlError USAGE for an invalid rule.
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
  throw new HitlError('USAGE', `invalid \`${flag} ${text}\`: ${problem}`, {
    hint: 'hitl rules add --help',
  });
}

/**
 * Returns the rules from all configuration files. Project rules are added to the user's, but cannot allow
 * calls.
 */
export function rulesOf(
  io: Pick<Io, 'cwd' | 'home'>,
  { user, profile, project, local }: ConfigFiles,
): ConfiguredRules {
  const place = rulePlace(io);
  const of = ({ path, lineOf }: LoadedConfig, keys: readonly string[], mayAllow: boolean) => {
    return { path, ...(lineOf !== undefined && { lineOf }), keys, mayAllow, place };
  };
  const all = [
    configuredRules(user.config.rules, of(user, ['rules'], true)),
    configuredRules(profile.config.rules, of(user, ['profiles', profile.name, 'rules'], true)),
    configuredRules(project.config.rules, of(project, ['rules'], false)),
    configuredRules(local.config.rules, of(local, ['rules'], false)),
  ];
  return {
    rules: all.flatMap(({ rules }) => rules),
    problems: all.flatMap(({ problems }) => problems),
  };
}
