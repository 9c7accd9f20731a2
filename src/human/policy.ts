import type {
  Actor,
  AskResult,
  HumanChannel,
  Interrupt,
  Resolution,
  RuledCall,
  RunState,
  ToolDescriptor,
  ToolRule,
} from '../core/index.js';
import {
  asksForGrant,
  asToolRule,
  grantAnswer,
  isNo,
  judgeCall,
  nearlyAllowed,
  present,
  wayProblem,
} from '../core/index.js';
import { toolOf } from './question/question-text.js';

/** Rules that answer without a person. */
export interface PolicyOptions {
  /** Rules of the configuration, the command line and the mode; the session's rules are in its state. */
  readonly rules?: readonly ToolRule[];
  /** Answers only denied calls. Default: false. */
  readonly denyOnly?: boolean;
  /** Returns the current definition of a tool: a server may have changed it since. */
  readonly toolNow?: (name: string) => ToolDescriptor | undefined;
  /** Whether a person was asked: no rule approves that question any more. Default: nobody was. */
  readonly wasAsked?: (interrupt: Interrupt) => boolean;
  /** Returns the time, in milliseconds since 1970. Without it, expiring approvals allow nothing more. */
  readonly now?: () => number;
}

/** The deciding rule: its journal name, its location, and the reason shown after its text. */
interface Deciding {
  readonly rule: string;
  readonly from: string;
  readonly says: string;
}

/** The verdict of rules about a call. */
export type PolicyVerdict =
  | ({ readonly type: 'deny' } & Deciding)
  /** `grant`: the one whose use it takes. */
  | ({ readonly type: 'allow'; readonly grant?: string } & Deciding)
  | ({ readonly type: 'ask' } & Deciding)
  /** No rule matches the call. `why`: a rule almost allows it. */
  | { readonly type: 'ask'; readonly why?: string; readonly rule?: never };

/**
 * Applies all rules to a call, including the session's: deny beats doubt, doubt beats ask, ask beats allow,
 * wherever they come from (G35).
 */
export function ruleOn(
  call: RuledCall,
  state: Pick<RunState, 'rules'>,
  { rules = [] }: PolicyOptions,
): PolicyVerdict {
  const all = [...rules, ...state.rules.map(asToolRule)];
  const verdict = judgeCall(all, call);
  if (verdict === undefined) {
    const why = nearlyAllowed(all, call);
    return { type: 'ask', ...(why !== undefined && { why }) };
  }
  const { effect, rule, says } = verdict;
  const deciding = { rule: rule.text, from: rule.from, says };
  if (effect === 'allow') return { type: effect, ...deciding, ...present({ grant: rule.bound?.grant }) };
  return { type: effect === 'deny' ? effect : 'ask', ...deciding };
}

/**
 * Creates a channel that answers tool confirmations by rules and leaves everything else open. Questions,
 * doubts, errors and limits are for people: a rule never answers them.
 */
export function createPolicyChannel(options: PolicyOptions): HumanChannel {
  return {
    async ask(open, state): Promise<AskResult> {
      for (const interrupt of open) {
        const answer = answerBy(interrupt, state, options);
        if (answer === undefined) continue;
        const { id, digest } = interrupt;
        return { type: 'answered', answer: { id, digest, ...answer } };
      }
      return { type: 'left-open', why: 'no rule answers this question' };
    },
  };
}

/** An answer, and the rule that gives it. */
interface RuleAnswer {
  readonly resolution: Resolution;
  readonly by: Actor;
}

/** Returns the rules' answer to an interrupt; `undefined` if a person decides. */
function answerBy(interrupt: Interrupt, state: RunState, options: PolicyOptions): RuleAnswer | undefined {
  const { kind, source } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || source.raisedBy === 'engine') return undefined;
  const { name, input } = source;
  const tool = options.toolNow?.(name) ?? recordedTool(interrupt, state, options);
  const { payload } = interrupt;
  const at = options.now?.();
  const verdict = ruleOn({ name, input, payload, ...present({ tool, at }) }, state, options);
  switch (verdict.type) {
    case 'deny': {
      const reason = `the rule \`${verdict.rule}\` denies it`;
      return taken(interrupt, { by: actorOf(verdict), resolution: { action: 'reject', reason } });
    }
    case 'allow':
      if (options.denyOnly === true || options.wasAsked?.(interrupt) === true) return undefined;
      if (tool === undefined && options.toolNow !== undefined) return undefined;
      return allowedBy(verdict, interrupt, state);
    case 'ask':
      return undefined;
  }
}

/** What no person has to see is approved; a use of a grant only if the session has it. */
function allowedBy(
  verdict: PolicyVerdict & { readonly type: 'allow' },
  interrupt: Interrupt,
  state: RunState,
): RuleAnswer | undefined {
  if (asksForGrant(interrupt)) return undefined;
  const by = verdict.grant === undefined ? actorOf(verdict) : grantAnswer(state, interrupt, verdict.grant);
  return by && taken(interrupt, { by, resolution: { action: 'restart' } });
}

function actorOf({ rule, from, says }: Deciding): Actor {
  return { type: 'rule', rule, from, says };
}

/** Returns the session's version of a tool; for a server's tool only if it is unchanged. */
function recordedTool(
  interrupt: Interrupt,
  state: RunState,
  { toolNow }: PolicyOptions,
): ToolDescriptor | undefined {
  const tool = toolOf(interrupt, state);
  return toolNow !== undefined && tool?.mcp !== undefined ? undefined : tool;
}

/**
 * A rule decides only what one person could: calls that must be edited or have required approvers wait for
 * people.
 */
function taken<Decided extends { readonly resolution: Resolution }>(
  interrupt: Interrupt,
  decided: Decided,
): Decided | undefined {
  const isForPeople = interrupt.approvers !== undefined && !isNo(decided.resolution);
  return isForPeople || wayProblem(interrupt, decided.resolution) !== undefined ? undefined : decided;
}

/** Whether a rule asks each time, which makes an approval for the session useless. */
export function asksAlways({ source, payload }: Interrupt, rules: readonly ToolRule[]): boolean {
  if (source.type !== 'tool') return false;
  const { name, input } = source;
  const effect = judgeCall(rules, { name, input, payload })?.effect;
  return effect !== undefined && effect !== 'allow';
}
