import type { ToolDescriptor } from './agent.js';
import { toolDigest } from './agent.js';
import type { Deadline } from './deadline.js';
import { lasting } from './deadline.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { present } from '../data/json.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import { bothApprovers } from './approvers.js';
import type { RuledCall } from './call-facts.js';
import { fitOf } from './scope-fit.js';
import type { SessionRule } from './session-scope.js';
import { asToolRule, shownDigest } from './session-scope.js';
import { fitsName, servedBefore, servedDifferences, servedTool } from './served-tool.js';
import type { ToolRule } from './tool-rule.js';
import type { Duration } from '../data/duration.js';
import { nearNames } from '../data/near-names.js';
import { plainLine } from '../data/plain-line.js';
import { timeOf } from '../data/duration.js';
import { isGrant, ruleInWords } from './tool-rule.js';

// Invariants:
// R1 The verdict is that of a set: neither the order of the rules nor that of their files matters.
// R2 Another `deny` or `ask`, read or not, never allows more: deny wins over doubt, doubt over ask, ask over allow.
// R3 What cannot be analysed is in doubt where a `deny` might be about it, and is never allowed by a part of it (G35).
// R4 What a rule says of a part of a tool's calls is held to the plan: without its facts it allows nothing.
// R5 The people of all rules that ask about a call are joined, and the shortest time of an approval counts: another rule
//    demands more, and never less.
// R6 An `allow` counts for the tool of a server as it was when the rule was made for it, and the tool is looked at as it
//    is now: what its server says of it, and where the server is.
// R7 A rule that an approval made lasts no longer than the approval.

/**
 * The verdict of the rules on a call, and the rule that decided. `doubt`: a rule that may deny the call
 * cannot be read, or it is uncertain whether it matches.
 */
export interface RuleVerdict {
  readonly effect: 'deny' | 'doubt' | 'ask' | 'review' | 'allow';
  readonly rule: ToolRule;
  /**
   * The reason that this rule decides, shown after its text: `asks about commands that start with git push`.
   */
  readonly says: string;
  /**
   * The reason that this rule decides although it may not match: it cannot be read, or the match is
   * uncertain.
   */
  readonly doubt?: string;
  /** Approvers required by all matching ask rules combined (R5). */
  readonly approvers?: ApprovalPolicy;
  /** The shortest approval validity that any matching rule sets (R5). */
  readonly approvalLasts?: Duration;
}

/** Strength of each verdict. `review` also leads to a question, but a reviewer is asked first. */
const STRENGTH: Readonly<Record<RuleVerdict['effect'], number>> = {
  deny: 4,
  doubt: 3,
  ask: 2,
  review: 1,
  allow: 0,
};

/** Returns the rules' verdict on a call; `undefined` if no rule matches. No other code decides this. */
export function judgeCall(rules: readonly ToolRule[], call: RuledCall): RuleVerdict | undefined {
  let strongest: RuleVerdict | undefined;
  let approvers: ApprovalPolicy | undefined;
  let time: Deadline = {};
  for (const rule of rules) {
    const found = verdictOf(rule, call);
    if (found === undefined) continue;
    approvers = bothApprovers(approvers, rule.approvers);
    time = lasting(time, rule.approvalLasts);
    if (strongest === undefined || isBefore(found, strongest)) strongest = found;
  }
  return strongest && { ...strongest, ...present({ approvers, approvalLasts: time.approvalLasts }) };
}

/**
 * Whether a verdict takes precedence over another one. Compares, in this order, strength, certainty of the
 * match, number of required approvers, limit on uses (unlimited first), and text (R1).
 */
function isBefore(left: RuleVerdict, right: RuleVerdict): boolean {
  const by =
    STRENGTH[left.effect] - STRENGTH[right.effect] ||
    sureOf(left) - sureOf(right) ||
    peopleIn(left.rule) - peopleIn(right.rule) ||
    countedIn(right.rule) - countedIn(left.rule);
  return (
    by > 0 || (by === 0 && `${left.rule.text}\n${left.rule.from}` < `${right.rule.text}\n${right.rule.from}`)
  );
}

function sureOf({ doubt }: RuleVerdict): number {
  return doubt === undefined ? 1 : 0;
}

function peopleIn({ approvers }: ToolRule): number {
  return approvers === undefined ? 0 : 1;
}

function countedIn({ bound }: ToolRule): number {
  return bound?.grant === undefined ? 0 : 1;
}

/**
 * Returns the verdict of one rule; `undefined` if the rule does not match, or matches but cannot allow the
 * call.
 */
function verdictOf(rule: ToolRule, call: RuledCall): RuleVerdict | undefined {
  const { effect, scope, problem } = rule;
  if (!isAbout(rule, call.name)) return undefined;
  if (problem !== undefined) {
    const why = `cannot be read: ${problem}`;
    return { effect: 'doubt', rule, doubt: `it ${why}`, says: why };
  }
  if (!isBoundTo(rule, call)) return undefined;
  const says = ruleInWords(rule);
  const fit = fitOf(scope, call, isGrant(effect));
  switch (fit.type) {
    case 'yes':
      return { effect, rule, says };
    case 'nearly':
      return isGrant(effect) ? undefined : { effect, rule, says };
    case 'may': {
      // R3
      if (isGrant(effect)) return undefined;
      const doubt = `this may match, because ${fit.why}`;
      return { effect: effect === 'deny' ? 'doubt' : 'ask', rule, doubt, says: `${says}, and ${doubt}` };
    }
    case 'no':
      return undefined;
  }
}

/** Whether a rule applies to a tool of this name. */
export function isAbout({ tool, scope }: Pick<ToolRule, 'tool' | 'scope'>, name: string): boolean {
  const spelled = scope?.type === 'served' ? scope.spelled : undefined;
  return fitsName(name, tool) || (spelled !== undefined && fitsName(name, spelled));
}

/**
 * Whether a rule is valid for a call. A rule created by an approval is valid only for the tool and the
 * content that were shown (T8).
 */
function isBoundTo(rule: ToolRule, call: RuledCall): boolean {
  const { bound } = rule;
  if (bound === undefined) return !isGrant(rule.effect) || isMadeFor(rule, call.tool); // R6
  const { until } = bound;
  // R7 A time that cannot be read is over.
  if (until !== undefined && !(call.at !== undefined && call.at <= timeOf(until))) return false;
  return call.tool !== undefined && toolDigest(call.tool) === bound.toolDigest && showsTheSame(rule, call);
}

/**
 * Whether a rule was made for the current version of a server's tool (R6). Always true for a tool that does
 * not belong to a server.
 */
export function isMadeFor({ tool, served = [] }: ToolRule, now: ToolDescriptor | undefined): boolean {
  const found = tool === '*' || now === undefined ? undefined : servedTool(now);
  return found === undefined || served.some(({ digest }) => digest === found.digest);
}

/**
 * Explains why rules that allowed a server's tool no longer allow it, with one line per difference between
 * the current tool and the one that was allowed. Empty if a rule allows the call, or if no rule ever allowed
 * it.
 */
export function notAsAllowed(rules: readonly ToolRule[], call: RuledCall): readonly string[] {
  const now = call.tool === undefined ? undefined : servedTool(call.tool);
  if (now === undefined || judgeCall(rules, call)?.effect === 'allow') return [];
  const lines = outgrown(rules, call).map(({ text, served = [] }) => {
    const before = servedBefore(served, now);
    if (before !== undefined)
      return [`\`${text}\` was for a different tool: ${servedDifferences(before, now).join('; ')}`];
    return [
      served.length === 0
        ? `\`${text}\` is not bound to the server ${JSON.stringify(plainLine(now.reached, REACHED))} yet`
        : `\`${text}\` was for the tools its server had before; this one is new`,
    ];
  });
  return [...new Set(lines.flat())].sort();
}

const REACHED = 200;

/** Returns the rules that would allow a call if its tool had not changed. */
export function outgrown(rules: readonly ToolRule[], call: RuledCall): readonly ToolRule[] {
  const { tool } = call;
  if (tool?.mcp === undefined) return [];
  return rules.filter((rule) => {
    const { effect, problem, bound, scope, served = [] } = rule;
    if (effect !== 'allow' || problem !== undefined || !isAbout(rule, call.name)) return false;
    const isOfOlder = bound !== undefined && served.length === 0; // it does not say what the tool was
    if (isOfOlder || isMadeFor(rule, tool)) return false;
    return served.some(({ name }) => name === call.name) || fitOf(scope, call, true).type === 'yes';
  });
}

function showsTheSame({ bound }: ToolRule, { payload = null }: RuledCall): boolean {
  const shown = bound?.shown;
  return shown === undefined || shown.digest === shownDigest(payload, shown);
}

/** Whether a session rule matches a call, regardless of the tool's version. */
export function coversCall(rule: SessionRule, call: RuledCall): boolean {
  const judged = asToolRule(rule);
  return (
    isAbout(judged, call.name) && showsTheSame(judged, call) && fitOf(judged.scope, call, true).type === 'yes'
  );
}

/**
 * Describes, in one line, a rule that almost allows a call, and why it does not. Ignores the rules of grants:
 * one of them may be used up before the call starts, and the displayed text would then change.
 */
export function nearlyAllowed(rules: readonly ToolRule[], call: RuledCall): string | undefined {
  const near = rules.flatMap((rule) => {
    const { effect, scope, problem, text, from, bound } = rule;
    if (effect !== 'allow' || problem !== undefined || bound?.grant !== undefined) return [];
    if (!isAbout(rule, call.name) || !isBoundTo(rule, call)) return [];
    const fit = fitOf(scope, call, true);
    return fit.type === 'nearly' ? [`the rule \`${text}\` (${from}) ${fit.why}`] : [];
  });
  return near.sort()[0];
}

/**
 * Returns a rule that always overrides an `allow` rule. Tests the rules with a call whose characters no
 * pattern contains, so that another rule matches only if it matches all calls that the `allow` rule matches.
 */
export function alwaysStronger(allow: ToolRule, others: readonly ToolRule[]): ToolRule | undefined {
  if (allow.effect !== 'allow' || allow.problem !== undefined) return undefined;
  const call = standIn(allow);
  if (call === undefined) return undefined;
  // A mode is about tools as they are, and this call has none.
  const sure = others.filter(
    (rule) => rule.scope?.type !== 'mode' && verdictOf(rule, call)?.doubt === undefined,
  );
  const verdict = judgeCall(sure, call);
  return verdict === undefined || verdict.effect === 'allow' ? undefined : verdict.rule;
}

/**
 * Returns the rules for tools that do not exist, with the tool that was probably meant. The tools may exist
 * in other folders, so such a rule is not necessarily wrong.
 */
export function misnamedTools(
  rules: readonly ToolRule[],
  names: readonly string[],
): readonly { readonly rule: ToolRule; readonly meant: string }[] {
  return rules.flatMap((rule) => {
    const { tool, scope, problem, bound } = rule;
    if (problem !== undefined || bound !== undefined || scope?.type === 'served') return [];
    if (names.some((name) => fitsName(name, tool))) return [];
    const [meant] = tool.endsWith('*') ? sameBeginnings(tool, names) : nearNames(tool, names);
    return meant === undefined ? [] : [{ rule, meant }];
  });
}

/** Returns corrected patterns, if a pattern differs from existing tool names only in case. */
function sameBeginnings(pattern: string, names: readonly string[]): readonly string[] {
  const begins = pattern.slice(0, -1).toLowerCase();
  const found = names.filter((name) => name.toLowerCase().startsWith(begins));
  return found.map((name) => `${name.slice(0, begins.length)}*`);
}

/**
 * Returns the rules for servers that are not configured, with an explanation. Such rules cannot match any
 * call.
 * @param servers names of all configured servers
 * @param names existing tools, including those from modules
 */
export function rulesOfNoServer(
  rules: readonly ToolRule[],
  servers: readonly string[],
  names: readonly string[],
): readonly { readonly rule: ToolRule; readonly why: string }[] {
  return rules.flatMap((rule) => {
    const { scope, problem } = rule;
    if (problem !== undefined || scope?.type !== 'served' || servers.includes(scope.server)) return [];
    if (names.some((name) => isAbout(rule, name))) return [];
    const [meant] = nearNames(scope.server, servers);
    const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
    return [{ rule, why: `no server \`${scope.server}\` is configured${hint}` }];
  });
}

/** A character that no pattern or name contains. */
const ANY = '\u{10fffd}';

/**
 * Returns a sample call that a rule matches. Another rule matches the sample only if it matches all calls
 * that the rule matches.
 */
function standIn({ tool, scope }: ToolRule): RuledCall | undefined {
  const name = tool.replace(/\*$/u, ANY);
  const call = (input: JsonValue, facts: JsonObject): RuledCall => ({ name, input, payload: { facts } });
  switch (scope?.type) {
    case undefined:
      return call({ argv: [ANY] }, { path: `/${ANY}`, host: ANY });
    case 'words':
      return call({ argv: [...scope.words] }, {});
    case 'path': {
      const path = scope.pattern.replaceAll('**', `${ANY}/${ANY}`).replaceAll(/[*?]/gu, ANY);
      return call({ path }, { path });
    }
    case 'host':
      return call({}, { host: scope.below ? `${ANY}.${scope.host}` : scope.host });
    case 'call':
      return call(scope.input, {});
    case 'served':
    case 'mode':
      return undefined;
  }
}
