import { toolDigest } from '../agent/index.js';
import type { SessionRule } from '../event.js';
import type { ApprovalPolicy } from '../people/index.js';
import { bothApprovers } from '../people/index.js';
import type { RuledCall } from './ruled-call.js';
import { fitOf } from './scope-fit.js';
import { asToolRule } from './rule-of-session.js';
import { shownDigest } from './session-scope.js';
import type { ToolRule } from './tool-rule.js';

// Invariants:
// R1 The verdict is that of a set: neither the order of the rules nor that of their files matters.
// R2 Another `deny` or `ask`, read or not, never allows more: deny wins over doubt, doubt over ask, ask over allow.
// R3 What cannot be analysed is in doubt where a `deny` might be about it, and is never allowed by a part of it (G35).
// R4 What a rule says of a part of a tool's calls is held to the plan: without its facts it allows nothing.
// R5 The people of all rules that ask about a call are joined: another rule demands more of them, and never less.

/**
 * The verdict of the rules about a call, and which of them gave it; `doubt`: one that may forbid it cannot be read, or
 * cannot be excluded.
 */
export interface RuleVerdict {
  readonly effect: 'deny' | 'doubt' | 'ask' | 'allow';
  readonly rule: ToolRule;
  /** The people whose word it takes, as all rules that ask about it say together (R5). */
  readonly approvers?: ApprovalPolicy;
}

const STRENGTH: Readonly<Record<RuleVerdict['effect'], number>> = { deny: 3, doubt: 2, ask: 1, allow: 0 };

/** Decides what rules say about a call; `undefined` where none is about it. The one place where that is decided. */
export function judgeCall(rules: readonly ToolRule[], call: RuledCall): RuleVerdict | undefined {
  let strongest: RuleVerdict | undefined;
  let approvers: ApprovalPolicy | undefined;
  for (const rule of rules) {
    const effect = effectOn(rule, call);
    if (effect === undefined) continue;
    approvers = bothApprovers(approvers, rule.approvers);
    if (strongest === undefined || isBefore({ effect, rule }, strongest)) strongest = { effect, rule };
  }
  return strongest && { ...strongest, ...(approvers !== undefined && { approvers }) };
}

/** The stronger one; of two as strong, one that names people, and then the one whose text comes first (R1). */
function isBefore(left: RuleVerdict, right: RuleVerdict): boolean {
  const by = STRENGTH[left.effect] - STRENGTH[right.effect] || peopleIn(left.rule) - peopleIn(right.rule);
  return (
    by > 0 || (by === 0 && `${left.rule.text}\n${left.rule.from}` < `${right.rule.text}\n${right.rule.from}`)
  );
}

function peopleIn({ approvers }: ToolRule): number {
  return approvers === undefined ? 0 : 1;
}

function effectOn(rule: ToolRule, call: RuledCall): RuleVerdict['effect'] | undefined {
  const { effect, scope, problem } = rule;
  if (!isAbout(rule, call.name)) return undefined;
  if (problem !== undefined) return 'doubt';
  if (!isBoundTo(rule, call)) return undefined;
  const fit = fitOf(scope, call, effect === 'allow');
  switch (fit.type) {
    case 'yes':
      return effect;
    case 'nearly':
      return effect === 'allow' ? undefined : effect;
    case 'may': // R3
      if (effect === 'allow') return undefined;
      return effect === 'deny' ? 'doubt' : 'ask';
    case 'no':
      return undefined;
  }
}

/** True for a rule that names a tool. */
export function isAbout({ tool }: Pick<ToolRule, 'tool'>, name: string): boolean {
  return tool.endsWith('*') ? name.startsWith(tool.slice(0, -1)) : tool === name;
}

/** An approval at a question counts for the tool, and for what was shown, as it was (T8). */
function isBoundTo(rule: ToolRule, call: RuledCall): boolean {
  const { bound } = rule;
  if (bound === undefined) return true;
  return call.tool !== undefined && toolDigest(call.tool) === bound.toolDigest && showsTheSame(rule, call);
}

function showsTheSame({ bound }: ToolRule, { payload = null }: RuledCall): boolean {
  const shown = bound?.shown;
  return shown === undefined || shown.digest === shownDigest(payload, shown);
}

/** True where a rule of a session is about a call, whichever the tool's version. */
export function coversCall(rule: SessionRule, call: RuledCall): boolean {
  const judged = asToolRule(rule);
  return (
    isAbout(judged, call.name) && showsTheSame(judged, call) && fitOf(judged.scope, call, true).type === 'yes'
  );
}

/** One line about the rule that nearly allows a call, and why it does not: how to write it, or what else runs. */
export function nearlyAllowed(rules: readonly ToolRule[], call: RuledCall): string | undefined {
  const near = rules.flatMap((rule) => {
    const { effect, scope, problem, text, from } = rule;
    if (effect !== 'allow' || problem !== undefined || !isAbout(rule, call.name) || !isBoundTo(rule, call))
      return [];
    const fit = fitOf(scope, call, true);
    return fit.type === 'nearly' ? [`the rule \`${text}\` (${from}) ${fit.why}`] : [];
  });
  return near.sort()[0];
}
