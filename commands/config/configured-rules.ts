import type { RuleEffect, ToolRule } from '../../src/core/index.js';
import { escapeText, isJsonObject, readRule } from '../../src/core/index.js';

/** The rules of a configuration, and what is wrong with it: said to whoever runs something. */
export interface ConfiguredRules {
  readonly rules: readonly ToolRule[];
  /** One line each, safe for a terminal. */
  readonly problems: readonly string[];
}

const EFFECTS: readonly RuleEffect[] = ['allow', 'ask', 'deny'];

/**
 * Reads `{ "allow": [...], "ask": [...], "deny": [...] }`. What cannot be read becomes a rule that asks. A project can
 * deny and ask, never allow: what it allows is left out.
 */
export function configuredRules(
  given: unknown,
  { path, mayAllow }: { readonly path: string; readonly mayAllow: boolean },
): ConfiguredRules {
  if (given === undefined) return { rules: [], problems: [] };
  const found = isJsonObject(given)
    ? Object.entries(given).flatMap(([effect, list]) => rulesOf(effect, list, path))
    : [broken(JSON.stringify(given), path, 'rules are lists of texts: allow, ask, deny')];
  const rules = found.filter(
    ({ effect, problem }) => mayAllow || effect !== 'allow' || problem !== undefined,
  );
  const leftOut = found.length - rules.length;
  const allows = `${leftOut} ${leftOut === 1 ? 'rule' : 'rules'} of ${path} not used: a project can deny and ask, never allow`;
  return {
    rules,
    problems: [...rules.flatMap(problemOf), ...(leftOut > 0 ? [escapeText(allows)] : [])],
  };
}

function rulesOf(effect: string, list: unknown, path: string): readonly ToolRule[] {
  const known = EFFECTS.find((one) => one === effect);
  if (known === undefined) return [broken(effect, path, `there is no effect \`${effect}\``)];
  if (!Array.isArray(list)) return [broken(effect, path, `\`${effect}\` must be a list of texts`)];
  return list.map((text: unknown) =>
    typeof text === 'string'
      ? readRule(known, text, path)
      : broken(`${effect} ${JSON.stringify(text)}`, path, 'a rule is a text'),
  );
}

/** Nobody knows what it is about, so everything is asked. */
function broken(text: string, from: string, problem: string): ToolRule {
  return { effect: 'ask', tool: '*', text, from, problem };
}

function problemOf({ text, from, tool, problem }: ToolRule): readonly string[] {
  if (problem === undefined) return [];
  const about = tool === '*' ? 'every tool' : `\`${tool}\``;
  return [escapeText(`rule \`${text}\` of ${from} cannot be read (${problem}): ${about} is asked about`)];
}
