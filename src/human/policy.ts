import type {
  AskResult,
  HumanChannel,
  Interrupt,
  Resolution,
  RuledCall,
  RunState,
  ToolDescriptor,
  ToolRule,
} from '../core/index.js';
import { asToolRule, isNo, judgeCall, nearlyAllowed, present, wayProblem } from '../core/index.js';
import { toolOf } from './question/question-text.js';

/** Rules that answer without a person. */
export interface PolicyOptions {
  /** Of the configuration, the command line and the mode; those of the session are in its state. */
  readonly rules?: readonly ToolRule[];
  /** Answers what is denied, and nothing else. Default false. */
  readonly denyOnly?: boolean;
  /** Gives a tool as it is now: a server may have changed it since the session was told of it. */
  readonly toolNow?: (name: string) => ToolDescriptor | undefined;
  /** Gives the time, in milliseconds since 1970. Without it, an approval that ends allows nothing more. */
  readonly now?: () => number;
}

/** The rule that decides: as the journal names it, where it stands, and why it decides, for after its text. */
interface Deciding {
  readonly rule: string;
  readonly from: string;
  readonly says: string;
}

/** The verdict of rules about a call. */
export type PolicyVerdict =
  | ({ readonly type: 'deny' | 'allow' } & Deciding)
  | ({ readonly type: 'ask' } & Deciding)
  /** No rule is about the call. `why`: one nearly allows it. */
  | { readonly type: 'ask'; readonly why?: string; readonly rule?: never };

/**
 * Decides by the rules about a call, those of the session among them: deny wins over doubt, doubt over ask, ask over
 * allow, wherever they come from (G35).
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
  return { type: effect === 'doubt' ? 'ask' : effect, rule: rule.text, from: rule.from, says };
}

/**
 * A channel that answers confirmations of tools by rules and leaves everything else open. Questions, doubts, errors and
 * limits are for people: a rule never answers them.
 */
export function createPolicyChannel(options: PolicyOptions): HumanChannel {
  return {
    async ask(open, state): Promise<AskResult> {
      for (const interrupt of open) {
        const answer = answerBy(interrupt, state, options);
        if (answer === undefined) continue;
        const { id, digest } = interrupt;
        const { resolution, rule, from, says } = answer;
        const by = { type: 'rule', rule, from, says } as const;
        return { type: 'answered', answer: { id, digest, resolution, by } };
      }
      return { type: 'left-open', why: 'no rule answers this question' };
    },
  };
}

/** Gives what the rules answer to an interrupt; `undefined` where a person decides. */
function answerBy(
  interrupt: Interrupt,
  state: RunState,
  options: PolicyOptions,
): ({ readonly resolution: Resolution } & Deciding) | undefined {
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
      return taken(interrupt, { ...verdict, resolution: { action: 'reject', reason } });
    }
    case 'allow':
      if (options.denyOnly === true || (tool === undefined && options.toolNow !== undefined))
        return undefined;
      return taken(interrupt, { ...verdict, resolution: { action: 'restart' } });
    case 'ask':
      return undefined;
  }
}

/** The tool as the session knows it; one of a server counts only as it is now. */
function recordedTool(
  interrupt: Interrupt,
  state: RunState,
  { toolNow }: PolicyOptions,
): ToolDescriptor | undefined {
  const tool = toolOf(interrupt, state);
  return toolNow !== undefined && tool?.mcp !== undefined ? undefined : tool;
}

/** A rule decides only what a person could decide so: a call that must be edited, or names its people, waits for them. */
function taken<Decided extends { readonly resolution: Resolution }>(
  interrupt: Interrupt,
  decided: Decided,
): Decided | undefined {
  const isForPeople = interrupt.approvers !== undefined && !isNo(decided.resolution);
  return isForPeople || wayProblem(interrupt, decided.resolution) !== undefined ? undefined : decided;
}

/** True where a rule asks each time, so that an approval for the rest of a session would change nothing. */
export function asksAlways({ source, payload }: Interrupt, rules: readonly ToolRule[]): boolean {
  if (source.type !== 'tool') return false;
  const { name, input } = source;
  const effect = judgeCall(rules, { name, input, payload })?.effect;
  return effect !== undefined && effect !== 'allow';
}
