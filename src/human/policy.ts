import type {
  AskResult,
  HumanChannel,
  Interrupt,
  JsonValue,
  Resolution,
  RunState,
  SessionRule,
  ToolDescriptor,
  ToolRule,
} from '../core/index.js';
import {
  coversCall,
  factsShown,
  judgeCall,
  nearlyAllowed,
  sessionRuleText,
  toolDigest,
} from '../core/index.js';
import { toolOf } from './question/index.js';

/** Rules that answer without a person. */
export interface PolicyOptions {
  /** Tools whose calls are approved in this run: `--yes`. */
  readonly yes?: readonly string[];
  /** Rules of the configuration; nothing allows what one of them denies. */
  readonly rules?: readonly ToolRule[];
  /** Answers what is denied, and nothing else. Default false. */
  readonly denyOnly?: boolean;
  /** Approves every tool but what is denied or in doubt: `--dangerously-approve-all`. */
  readonly approveAll?: boolean;
}

/** A call as rules look at it. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The question about it, as it is shown; without it, rules with words allow nothing. */
  readonly payload?: JsonValue;
  /** The tool as it is now; absent where it is not offered. */
  readonly tool?: ToolDescriptor;
}

/** What rules say about a call. `rule` is the one that decides, as the journal names it. */
export type PolicyVerdict =
  | { readonly type: 'deny'; readonly rule: string; readonly from?: string }
  | { readonly type: 'allow'; readonly rule: string; readonly from?: string }
  /** A person decides. Without a rule: none is about the call. */
  | { readonly type: 'ask'; readonly rule?: string; readonly from?: string; readonly why?: string };

/**
 * What the rules say about a call, in this order: a rule that denies, one that cannot be read or excluded, the flags of
 * this run, a rule that asks, what was approved for the rest of the session, a rule that allows (G35).
 */
export function ruleOn(
  { name, input, payload = {}, tool }: RuledCall,
  state: Pick<RunState, 'rules'>,
  { yes, rules = [], approveAll }: PolicyOptions,
): PolicyVerdict {
  const facts = factsShown(payload);
  const verdict = judgeCall(rules, name, input, facts);
  const found = verdict === undefined ? undefined : { rule: verdict.rule.text, from: verdict.rule.from };
  if (verdict?.effect === 'deny' && found) return { type: 'deny', ...found };
  if (verdict?.effect === 'doubt') {
    const { problem } = verdict.rule;
    const why =
      problem === undefined
        ? 'whether the rule is about this command cannot be told'
        : `the rule cannot be read: ${problem}`;
    return { type: 'ask', ...found, why };
  }
  if (yes?.includes(name) === true) return { type: 'allow', rule: `--yes ${name}` };
  if (approveAll === true) return { type: 'allow', rule: '--dangerously-approve-all' };
  if (verdict?.effect === 'ask') return { type: 'ask', ...found };
  const always = sessionRuleFor({ name, input, payload, ...(tool && { tool }) }, state);
  if (always !== undefined) return { type: 'allow', rule: sessionRuleText(always) };
  if (found !== undefined) return { type: 'allow', ...found };
  const why = nearlyAllowed(rules, name, input, facts);
  return { type: 'ask', ...(why !== undefined && { why }) };
}

/** A rule of the session counts for the tool as it was: one that has changed since is asked about again (T8). */
function sessionRuleFor(
  { tool, ...call }: RuledCall & { readonly payload: JsonValue },
  { rules }: Pick<RunState, 'rules'>,
): SessionRule | undefined {
  if (tool === undefined) return undefined;
  const digest = toolDigest(tool);
  return rules.find((rule) => rule.toolDigest === digest && coversCall(rule, call));
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
        const { resolution, rule } = answer;
        return { type: 'answered', answer: { id, digest, resolution, by: { type: 'rule', rule } } };
      }
      return { type: 'left-open', why: 'no rule answers it' };
    },
  };
}

/** What the rules answer to an interrupt; `undefined` where a person decides. */
function answerBy(
  interrupt: Interrupt,
  state: RunState,
  options: PolicyOptions,
): { readonly resolution: Resolution; readonly rule: string } | undefined {
  const { kind, source, allowed } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || source.raisedBy === 'engine') return undefined;
  const { name, input } = source;
  const tool = toolOf(interrupt, state);
  const { payload } = interrupt;
  const verdict = ruleOn({ name, input, payload, ...(tool !== undefined && { tool }) }, state, options);
  switch (verdict.type) {
    case 'deny': {
      const reason = `the rule \`${verdict.rule}\` denies it`;
      if (!allowed.includes('reject')) return undefined;
      return { resolution: { action: 'reject', reason }, rule: verdict.rule };
    }
    case 'allow':
      if (options.denyOnly === true || !allowed.includes('restart')) return undefined;
      return { resolution: { action: 'restart' }, rule: verdict.rule };
    case 'ask':
      return undefined;
  }
}

/** True where a rule asks each time, so that an approval for the rest of a session would change nothing. */
export function asksAlways({ source, payload }: Interrupt, rules: readonly ToolRule[]): boolean {
  if (source.type !== 'tool') return false;
  const effect = judgeCall(rules, source.name, source.input, factsShown(payload))?.effect;
  return effect !== undefined && effect !== 'allow';
}
