import type { ApprovalRequest, CallFacts, JsonValue, RuledCall, Tool, ToolRule } from '../core/index.js';
import {
  askedAgainLines,
  concerns,
  judgeCall,
  membersOf,
  nearlyAllowed,
  notAsAllowed,
  present,
  requestJson,
  REVIEW_RULE,
} from '../core/index.js';
import { sensitiveNames } from '../files/index.js';
import { requireApproval } from './require-approval.js';

// Invariants:
// U1 A refusal by a rule comes first: before it, nothing is told of what the call would find.

/** Properties of a tool before rules were applied. */
export interface RuledTool {
  /** Whether the tool itself has an approval check. */
  readonly asksItself: boolean;
}

/**
 * Applies rules to a tool. If a rule denies a call, requires a question about it or may match it, a question
 * is raised before the tool's body runs. A denied call cannot be approved, because the rule answers the
 * question. Allow rules are applied when the question is answered. `rules` returns the current rules, because
 * the user may change the mode between two calls.
 */
export function underRules<Ruled extends Tool>(
  tool: Ruled,
  rules: () => readonly ToolRule[],
): Ruled & RuledTool {
  const inForce = (): readonly ToolRule[] => rules().filter((rule) => concerns(rule, tool));
  const asking = requireApproval(tool, async (input, signal, request) => {
    const all = rules();
    const own = all.filter((rule) => concerns(rule, tool));
    if (own.length === 0 && tool.mcp === undefined) return undefined;
    // A tool that does not ask says what the call is about all the same.
    const facts = request?.facts ?? (await tool.facts?.(input, signal)) ?? {};
    const call = callOf(tool, input, { ...request, facts });
    const changed = notAsAllowed(all, call);
    const warnings = changed.length === 0 ? {} : { warnings: askedAgainLines(changed) };
    const verdict = judgeCall(own, call);
    if (verdict === undefined) {
      const rule = request === undefined ? undefined : nearlyAllowed(own, call);
      if (rule !== undefined) return { facts: { rule }, ...warnings };
      return changed.length === 0 ? undefined : warnings;
    }
    if (verdict.effect === 'allow') return undefined;
    const { rule, doubt, approvers, approvalLasts } = verdict;
    if (verdict.effect === 'review' && !namesKeys(input))
      return {
        facts: { ...facts, [REVIEW_RULE]: `${rule.text} (${rule.from})` },
        ...warnings,
        ...present({ approvers }),
      };
    const why = doubt === undefined ? '' : `: ${doubt}`;
    const told = { ...facts, rule: `${rule.text} (${rule.from})${why}` };
    const deadline = approvalLasts === undefined ? undefined : { approvalLasts };
    return { facts: told, ...warnings, ...present({ approvers, deadline }) };
  });
  return {
    ...asking,
    ...problemUnder(tool, rules),
    async approval(input, signal, scene) {
      return (await deniedRequest(tool, inForce(), input, signal)) ?? asking.approval?.(input, signal, scene);
    },
    asksItself: tool.approval !== undefined,
    forbids(input, facts) {
      const verdict = judgeCall(inForce(), callOf(tool, input, facts === undefined ? {} : { facts }));
      if (verdict?.effect !== 'deny') return tool.forbids?.(input, facts);
      return `the rule \`${verdict.rule.text}\` denies it`;
    },
  };
}

/**
 * Returns the question for a call that a rule denies, or `undefined` if no rule does. The rule answers the
 * question. The tool's approval check does not run for such a call (U1).
 */
async function deniedRequest(
  tool: Tool,
  rules: readonly ToolRule[],
  input: JsonValue,
  signal: AbortSignal,
): Promise<ApprovalRequest | undefined> {
  const denying = rules.filter(({ effect }) => effect === 'deny');
  if (denying.length === 0) return undefined;
  const facts = await factsOf(tool, input, signal);
  const verdict = judgeCall(denying, callOf(tool, input, present({ facts })));
  if (verdict?.effect !== 'deny') return undefined;
  const { text, from } = verdict.rule;
  return { facts: { ...facts, rule: `${text} (${from})` } };
}

/**
 * Tells the model about the problem with a call only if no rule denies the call or restricts reading its file
 * (U1).
 */
function problemUnder(tool: Tool, rules: () => readonly ToolRule[]): Pick<Tool, 'problem'> {
  if (tool.problem === undefined) return {};
  return {
    async problem(input, signal) {
      const all = rules();
      const facts = await factsOf(tool, input, signal);
      const own = judgeCall(all, callOf(tool, input, present({ facts })))?.effect;
      const isHeld = own === 'deny' || own === 'doubt';
      return isHeld || isHidden(all, input, facts) ? undefined : tool.problem?.(input, signal);
    },
  };
}

/** Whether a rule prevents, or might prevent, `read_file` from reading the file of a call. */
function isHidden(rules: readonly ToolRule[], input: JsonValue, facts: CallFacts | undefined): boolean {
  const { path } = { ...facts, ...membersOf(input) };
  if (typeof path !== 'string') return false;
  const payload = { ...(facts !== undefined && { facts }) };
  const verdict = judgeCall(rules, { name: READ_TOOL, input: { path }, payload });
  return verdict !== undefined && verdict.effect !== 'allow';
}

const READ_TOOL = 'read_file';

/** Returns the details that rules match, or `undefined` if the tool cannot provide them. */
async function factsOf(tool: Tool, input: JsonValue, signal: AbortSignal): Promise<CallFacts | undefined> {
  try {
    return await tool.facts?.(input, signal);
  } catch {
    return undefined;
  }
}

/** Whether any string in an input ends in the name of a file that often contains keys. */
function namesKeys(value: JsonValue): boolean {
  if (typeof value === 'string') return sensitiveNames.find(value) !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(namesKeys);
}

function callOf(
  tool: Tool,
  input: JsonValue,
  shown: Omit<ApprovalRequest, 'facts'> & { readonly facts?: CallFacts },
): RuledCall {
  const { facts, approvers: _people, ...request } = shown;
  const payload = { ...requestJson(request), ...(facts !== undefined && { facts }) };
  return { name: tool.name, input, payload, tool };
}
