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

/** Rules for answering without asking a person. */
export interface PolicyOptions {
  /**
   * Rules from the configuration, the command line and the mode. The session's own rules are read from its
   * state.
   */
  readonly rules?: readonly ToolRule[];
  /** Whether to answer only calls that a rule denies. Default: false. */
  readonly denyOnly?: boolean;
  /**
   * Returns the current definition of a tool, because a server may have changed it since the call was
   * recorded.
   */
  readonly toolNow?: (name: string) => ToolDescriptor | undefined;
  /** Whether a person has already been asked. If so, rules no longer approve the question. Default: never. */
  readonly wasAsked?: (interrupt: Interrupt) => boolean;
  /**
   * Returns the current time, in milliseconds since 1970. Without this function, an approval that has an
   * expiration time does not allow any call.
   */
  readonly now?: () => number;
}

/** The deciding rule: its text, its location, and the reason to show. */
interface Deciding {
  readonly rule: string;
  readonly from: string;
  readonly says: string;
}

/** The rules' verdict on a call. */
export type PolicyVerdict =
  | ({ readonly type: 'deny' } & Deciding)
  /** `grant` is the grant that this call uses. */
  | ({ readonly type: 'allow'; readonly grant?: string } & Deciding)
  | ({ readonly type: 'ask' } & Deciding)
  /** No rule matches the call. `why` describes a rule that almost allows it. */
  | { readonly type: 'ask'; readonly why?: string; readonly rule?: never };

/**
 * Applies all rules to a call, including the session's own. Regardless of where a rule comes from, deny takes
 * precedence over doubt, doubt over ask, and ask over allow (G35).
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
 * Creates a channel that answers tool confirmations according to rules and leaves everything else open.
 * Questions, calls in doubt, errors and limits always need a person.
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

/** An answer and the rule that it comes from. */
interface RuleAnswer {
  readonly resolution: Resolution;
  readonly by: Actor;
}

/** Returns the rules' answer to an interrupt, or `undefined` if a person must decide. */
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

/**
 * Returns the approval. Returns `undefined` if the call requests a grant, because only a person can approve
 * that. A rule's grant is used only if the session has the grant.
 */
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

/**
 * Returns the tool as recorded in the session. Returns `undefined` for an MCP tool if `toolNow` is set,
 * because the recorded version may be outdated.
 */
function recordedTool(
  interrupt: Interrupt,
  state: RunState,
  { toolNow }: PolicyOptions,
): ToolDescriptor | undefined {
  const tool = toolOf(interrupt, state);
  return toolNow !== undefined && tool?.mcp !== undefined ? undefined : tool;
}

/**
 * Returns the decision if a single person could make it. Calls that must be edited or that need required
 * approvers are left for people.
 */
function taken<Decided extends { readonly resolution: Resolution }>(
  interrupt: Interrupt,
  decided: Decided,
): Decided | undefined {
  const isForPeople = interrupt.approvers !== undefined && !isNo(decided.resolution);
  return isForPeople || wayProblem(interrupt, decided.resolution) !== undefined ? undefined : decided;
}

/**
 * Whether a rule asks about this call or denies it. If so, approving later calls for the session would have
 * no effect.
 */
export function asksAlways({ source, payload }: Interrupt, rules: readonly ToolRule[]): boolean {
  if (source.type !== 'tool') return false;
  const { name, input } = source;
  const effect = judgeCall(rules, { name, input, payload })?.effect;
  return effect !== undefined && effect !== 'allow';
}
