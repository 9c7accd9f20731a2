import type { JsonValue, RuleEffect, RulePlace, ToolRule, Shown } from '../../src/core/index.js';
import {
  approversProblem,
  count,
  lastingProblem,
  escapeText,
  isGrant,
  isJsonObject,
  NOBODY,
  policyWords,
  readRule,
} from '../../src/core/index.js';
import type { ReadConfig } from './config-file.js';

/** The rules from a configuration, along with any problems in them, which every run reports. */
export interface ConfiguredRules {
  readonly rules: readonly ToolRule[];
  /** One line each, safe for a terminal. */
  readonly problems: readonly Shown[];
}

/** The file that contains the rules. */
export interface RulesFile {
  readonly path: string;
  /** Returns the line numbers of rules; absent if the file is code. */
  readonly lineOf?: ReadConfig['lineOf'];
  /** Path of keys to the rules. */
  readonly keys: readonly string[];
  readonly mayAllow: boolean;
  /**
   * Folders that relative paths in rules are resolved against. Also determines which folder-specific rules
   * apply.
   */
  readonly place: RulePlace;
}

/** The possible first words of a rule. */
export const EFFECTS: readonly RuleEffect[] = ['allow', 'ask', 'deny', 'review'];

/** The property for folder-specific rules: an object keyed by real path. */
export const FOLDERS = 'folders';

/**
 * Reads `{ "allow": [...], "ask": [...], "deny": [...], "folders": { "/home/me/shop": { "allow": [...] } }
 * }`. An unreadable rule becomes one that asks. A project may deny and ask, but never allow: its allow rules
 * are dropped.
 */
export function configuredRules(given: unknown, file: RulesFile): ConfiguredRules {
  if (given === undefined) return { rules: [], problems: [] };
  const { path, mayAllow } = file;
  const found = isJsonObject(given)
    ? Object.entries(given).flatMap(([member, value]) =>
        member === FOLDERS ? rulesOfFolders(value, file) : rulesOf(member, value, file),
      )
    : [broken(JSON.stringify(given), path, 'rules must be lists of strings: allow, ask, deny')];
  const rules = found.filter(({ effect, problem }) => mayAllow || !isGrant(effect) || problem !== undefined);
  const leftOut = found.length - rules.length;
  const allows = `${count(leftOut, 'rule')} in ${path} ignored: a project can deny and ask, never allow`;
  return {
    rules,
    problems: [...rules.flatMap(problemOf), ...(leftOut > 0 ? [escapeText(allows)] : [])],
  };
}

function rulesOfFolders(folders: unknown, file: RulesFile): readonly ToolRule[] {
  if (!isJsonObject(folders))
    return [broken(FOLDERS, file.path, `\`${FOLDERS}\` must be an object with folders as keys`)];
  const own = folders[file.place.folder];
  if (own === undefined) return [];
  if (!isJsonObject(own)) return [broken(FOLDERS, file.path, `a folder’s rules must be lists of strings`)];
  const keys = [...file.keys, FOLDERS, file.place.folder];
  return Object.entries(own)
    .flatMap(([effect, list]) => rulesOf(effect, list, { ...file, keys }))
    .map((rule) => ({ ...rule, folder: file.place.folder }));
}

function rulesOf(effect: string, list: unknown, file: RulesFile): readonly ToolRule[] {
  const { path, lineOf, place, keys } = file;
  const known = EFFECTS.find((one) => one === effect);
  if (known === undefined) return [broken(effect, path, `unknown effect \`${effect}\``)];
  if (!Array.isArray(list)) return [broken(effect, path, `\`${effect}\` must be a list of strings`)];
  return list.map((rule: unknown, index) => {
    const line = lineOf?.([...keys, effect, index]);
    const from = line === undefined ? path : `${path}:${line}`;
    if (typeof rule === 'string') return readRule(known, rule, from, place);
    const written = known === 'ask' ? ruleOfPeople(rule) : undefined;
    if (written === undefined) return broken(`${effect} ${JSON.stringify(rule)}`, from, NO_RULE[known]);
    if (written.problem === undefined) return readRule(known, written.text, from, place);
    const { text, problem } = written;
    return { ...readRule(known, text, from, place), approvers: NOBODY, problem };
  });
}

const NO_RULE: Readonly<Record<RuleEffect, string>> = {
  allow: 'a rule is a string',
  ask: 'a rule is a string, or { "ask": "<tool>", "need": 2, "from": ["@ops"], "notRequester": true, "approvalLasts": "15m" }',
  deny: 'a rule is a string',
  review: 'a rule is a string',
};

/**
 * Formats a rule such as `{ "ask": "transfer", "need": 2 }` as text for `hitl rules`. Returns `undefined` for
 * rules in other forms.
 */
export function ruleOfPeople(
  rule: unknown,
): { readonly text: string; readonly problem?: string } | undefined {
  if (!isJsonObject(rule)) return undefined;
  const { ask, approvalLasts, ...people } = rule;
  if (typeof ask !== 'string') return undefined;
  const problem = approversProblem(people) ?? approvalLastsProblem(approvalLasts);
  if (problem !== undefined) return { text: ask, problem };
  const lasts = typeof approvalLasts === 'string' ? `lasts ${approvalLasts.replaceAll(' ', '')}` : undefined;
  const whose = Object.keys(people).length === 0 && lasts !== undefined ? undefined : policyWords(people);
  return { text: [ask, [whose, lasts].filter((part) => part !== undefined).join(', ')].join(' ') };
}

function approvalLastsProblem(approvalLasts: JsonValue | undefined): string | undefined {
  if (approvalLasts === undefined) return undefined;
  const problem = typeof approvalLasts === 'string' ? lastingProblem(approvalLasts) : undefined;
  if (typeof approvalLasts === 'string')
    return problem === undefined
      ? undefined
      : `\`approvalLasts\` is ${JSON.stringify(approvalLasts)}: ${problem}`;
  return `\`approvalLasts\` must be a duration such as 15m, 2h or 1d, got ${JSON.stringify(approvalLasts)}`;
}

/**
 * Creates a rule that asks about every call, because there is no way to know which calls the broken rule was
 * meant to match.
 */
function broken(text: string, from: string, problem: string): ToolRule {
  return { effect: 'ask', tool: '*', text, from, problem };
}

function problemOf({ text, from, tool, problem }: ToolRule): readonly Shown[] {
  if (problem === undefined) return [];
  const about = tool === '*' ? 'every tool' : `\`${tool}\``;
  return [escapeText(`invalid rule \`${text}\` in ${from} (${problem}): ${about} will ask for approval`)];
}
