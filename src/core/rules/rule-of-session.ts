import { below } from './path-pattern.js';
import type { RuleScope } from './rule-scope.js';
import type { SessionRule, SessionScope } from './session-scope.js';
import { factsOfSize, sessionRuleText } from './session-scope.js';
import type { ToolRule } from './tool-rule.js';

/** A rule of a session as rules are judged: it counts for the tool, and for what was shown, as it was. */
export function asToolRule(rule: SessionRule): ToolRule {
  const { tool, toolDigest, scope, served, until } = rule;
  return {
    effect: 'allow',
    tool,
    ...(scope && { scope: asRuleScope(scope) }),
    text: sessionRuleText(rule),
    from: 'a question of this session',
    ...(served && { served: [served] }),
    bound: {
      toolDigest,
      ...(until !== undefined && { until }),
      ...(scope && { shown: { facts: factsOfSize(scope.type), digest: scope.shown } }),
    },
  };
}

function asRuleScope(scope: SessionScope): RuleScope {
  switch (scope.type) {
    case 'call':
      return { type: 'call', input: scope.input };
    case 'words':
      return { type: 'words', words: scope.words, further: true };
    case 'folder': {
      const { folder } = scope;
      return { type: 'path', ...below(folder, { folder, home: folder }) };
    }
    case 'host':
      return { type: 'host', host: scope.host, below: false };
  }
}

/** Leaves out the rules for a tool. */
export function rulesWithout(
  rules: readonly SessionRule[],
  name: string,
  illegal: (why: string) => never,
): readonly SessionRule[] {
  const left = rules.filter(({ tool }) => tool !== name);
  return left.length === rules.length ? illegal(`there is no rule for \`${name}\``) : left;
}
