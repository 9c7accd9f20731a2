import { actorName, isActor } from '../data/actor-name.js';
import { ROOT_PATH } from '../data/ids.js';
import type { ToolRef } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';
import { isJson, isJsonArray, jsonEquals, membersOf } from '../data/json.js';
import type { Actor, Resolution } from '../data/resolution.js';
import type { ToolDescriptor } from '../question/agent.js';
import { schemaDigest, toolDigest } from '../question/agent.js';
import { isAboutSandbox } from '../question/call-facts.js';
import { asksForGrant, GRANT_TOOL, grantIn, rulesOfGrant } from '../question/grant.js';
import { coversCall } from '../question/judge-call.js';
import type { GrantShare, SessionRule } from '../question/session-scope.js';
import { grantedText } from '../question/session-scope.js';
import type { RunState } from '../state/state.js';

// Invariants:
// N2 Nobody makes a grant but a person, or a script in their place, and only in a chat: no rule, mode, reviewer or time.
// N3 Its rules come into being once, at the start of its call, as its question showed them.
// N4 One of its rules answers by its name only, a plain yes to a call that it covers, and each answer takes a use.
// N5 A grant for a turn ends with it, and with the next one at the latest.

type RuleActor = Actor & { readonly type: 'rule' };
type GrantedRule = SessionRule & { readonly grant: GrantShare };

/** The parts of a session's state that describe its grants. */
type Known = Pick<RunState, 'agent'> & Partial<Pick<RunState, 'rules'>>;

interface Decision {
  readonly by: Actor;
  readonly resolution: Resolution;
}

/**
 * Returns the reason that a decision made by or about a grant is invalid; `undefined` if it is valid or does
 * not involve a grant (N2, N4).
 */
export function grantProblem(interrupt: Interrupt, decided: Decision, known: Known): string | undefined {
  const { by, resolution } = decided;
  if (!isActor(by)) return undefined;
  if (by.type === 'rule' && by.grant !== undefined) return useProblem(interrupt, { by, resolution }, known);
  const isAbout = asksForGrant(interrupt) || showsGrant(resolution);
  if (!isAbout || resolution.action !== 'restart') return undefined;
  if (interrupt.path !== ROOT_PATH) return 'grants apply only to chats, and this call is part of a workflow';
  return by.type === 'person' || by.type === 'script'
    ? undefined
    : `${actorName(by)} is not a person, and only a person can give a grant`;
}

/** Whether an edit turns a call into a grant request. */
function showsGrant(resolution: Resolution): boolean {
  if (resolution.action !== 'restart') return false;
  return Object.hasOwn(membersOf(resolution.shown?.request), 'grants');
}

function useProblem(
  interrupt: Interrupt,
  { by, resolution }: Decision & { readonly by: RuleActor },
  known: Known,
): string | undefined {
  const rule = known.rules?.find(({ grant }) => grant?.id === by.grant?.id);
  if (!isOfGrant(rule)) return 'grant not found or already used up';
  if (!isJson(by, 'absent') || !jsonEquals(by, { ...grantActor(rule) }))
    return "it does not match the grant's next use";
  if (!isJson(resolution) || !jsonEquals(resolution, PLAIN_YES))
    return 'a grant can only approve a call as shown';
  return coverProblem(rule, interrupt, known);
}

const PLAIN_YES = { action: 'restart' } as const;

function isOfGrant(rule: SessionRule | undefined): rule is GrantedRule {
  return rule?.grant !== undefined;
}

/** Returns the reason that a grant's rule cannot answer a question, or `undefined` if it can. */
function coverProblem(
  rule: GrantedRule,
  interrupt: Interrupt,
  { agent }: Pick<RunState, 'agent'>,
): string | undefined {
  const { kind, source, path, payload, bound, approvers, proposed, escalated } = interrupt;
  if (
    kind !== 'confirmation' ||
    source.type !== 'tool' ||
    source.raisedBy !== 'approval' ||
    path !== ROOT_PATH
  )
    return 'a grant only applies to chat calls waiting for approval';
  if (approvers !== undefined || proposed !== undefined || escalated !== undefined)
    return 'specific people must approve it';
  if (asksForGrant(interrupt) || warnsOf(payload)) return 'a person must review it';
  const { name, input } = source;
  const tool = agent?.tools.find((one) => one.name === name);
  const isSame = tool !== undefined && toolDigest(tool) === rule.toolDigest;
  if (!isSame || bound?.tool !== schemaDigest(tool) || bound.code !== tool.code)
    return "its tool differs from the grant's";
  return coversCall(rule, { name, input, payload, tool }) ? undefined : 'the grant does not cover it';
}

/** Whether a call has a warning about anything other than a missing sandbox. */
function warnsOf(payload: Interrupt['payload']): boolean {
  const { warnings = [] } = membersOf(payload);
  if (!isJsonArray(warnings)) return true;
  return !warnings.every((one) => typeof one === 'string' && isAboutSandbox(one));
}

/** Returns the actor to record in the answer the next time a grant's rule is used. */
function grantActor(rule: GrantedRule): RuleActor {
  const { id, of, left } = rule.grant;
  return {
    type: 'rule',
    rule: grantedText(rule),
    from: `grant ${id}`,
    grant: { id, use: of - left + 1, of },
  };
}

/**
 * Returns the actor to record if a grant's rule answers a question; `undefined` if the rule does not cover
 * the question, so that a person must be asked.
 */
export function grantAnswer(
  state: Pick<RunState, 'agent' | 'rules'>,
  interrupt: Interrupt,
  id: string,
): RuleActor | undefined {
  const rule = state.rules.find(({ grant }) => grant?.id === id);
  return isOfGrant(rule) && coverProblem(rule, interrupt, state) === undefined ? grantActor(rule) : undefined;
}

/**
 * Returns the rules after a decision. If a grant made the decision, one of its uses is consumed; a rule
 * without remaining uses is removed (N4).
 */
export function afterUse<Rule extends SessionRule>(rules: readonly Rule[], by: Actor): readonly Rule[] {
  const used = isActor(by) && by.type === 'rule' ? by.grant?.id : undefined;
  if (used === undefined) return rules;
  return rules.flatMap((rule) => {
    const { grant } = rule;
    if (grant?.id !== used) return [rule];
    return grant.left <= 1 ? [] : [{ ...rule, grant: { ...grant, left: grant.left - 1 } }];
  });
}

/** Returns the rules without those that last for one turn only (N5). */
export function afterTurn<Rule extends SessionRule>(rules: readonly Rule[]): readonly Rule[] {
  return rules.some(({ grant }) => grant?.until === 'turn')
    ? rules.filter(({ grant }) => grant?.until !== 'turn')
    : rules;
}

/** Returns the rules that take effect when an approved grant request starts; empty otherwise (N3). */
export function grantedBy(state: RunState, ref: ToolRef): readonly SessionRule[] {
  const call = state.open?.calls.find(({ request }) => request.ref === ref);
  if (call?.request.name !== GRANT_TOOL || state.graph !== undefined || !isOurs(state.agent?.tools))
    return [];
  const { approval, resolved } = call;
  if (approval === undefined || approval.granted === true || resolved === undefined) return [];
  const plan = grantIn(approval.request);
  return plan === undefined
    ? []
    : rulesOfGrant(plan, { id: resolved.interrupt.id, expires: approval.age?.until });
}

/**
 * Whether the grant tool is the built-in one. A tool of the same name from a module or server creates no
 * rules.
 */
function isOurs(tools: readonly ToolDescriptor[] = []): boolean {
  const tool = tools.find(({ name }) => name === GRANT_TOOL);
  return tool?.origin === 'built in' && tool.mcp === undefined;
}
