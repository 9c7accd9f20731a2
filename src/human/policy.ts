import type { AskResult, HumanChannel, Interrupt, Resolution, RunState } from '../core/index.js';
import { toolDigest } from '../core/index.js';
import { toolOf } from './question-text.js';

/** Rules that answer without a person. */
export interface PolicyOptions {
  /** Tools whose calls are approved in this run: `--yes`. */
  readonly yes?: readonly string[];
  /** Tools that a rule of the configuration allows. */
  readonly allow?: readonly string[];
  /** Tools that a rule denies; nothing allows what is denied. */
  readonly deny?: readonly string[];
  /** Approves every tool but the denied ones: `--dangerously-approve-all`. */
  readonly approveAll?: boolean;
}

/** What the rules say about one interrupt, and which of them. */
interface Verdict {
  readonly resolution: Resolution;
  readonly rule: string;
}

/**
 * A channel that answers confirmations of tools by rules and leaves everything else open. Questions, doubts, errors and
 * limits are for people: a rule never answers them.
 */
export function createPolicyChannel(options: PolicyOptions): HumanChannel {
  return {
    async ask(open, state): Promise<AskResult> {
      for (const interrupt of open) {
        const verdict = judge(interrupt, state, options);
        if (verdict !== undefined) {
          const { resolution, rule } = verdict;
          const { id, digest } = interrupt;
          return { type: 'answered', answer: { id, digest, resolution, by: { type: 'rule', rule } } };
        }
      }
      return { type: 'left-open', why: 'no rule answers it' };
    },
  };
}

/** What the rules say about an interrupt; `undefined` where a person decides. Deny comes first (G35). */
function judge(interrupt: Interrupt, state: RunState, options: PolicyOptions): Verdict | undefined {
  const { kind, source, allowed } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || source.raisedBy === 'engine') return undefined;
  const { name } = source;
  if (options.deny?.includes(name) === true) {
    if (!allowed.includes('reject')) return undefined;
    return { resolution: { action: 'reject', reason: 'a rule denies this tool' }, rule: `deny ${name}` };
  }
  if (!allowed.includes('restart')) return undefined;
  const rule = allowing(interrupt, state, name, options);
  return rule === undefined ? undefined : { resolution: { action: 'restart' }, rule };
}

function allowing(
  interrupt: Interrupt,
  state: RunState,
  name: string,
  { yes, allow, approveAll }: PolicyOptions,
): string | undefined {
  if (yes?.includes(name) === true) return `--yes ${name}`;
  if (allow?.includes(name) === true) return `allow ${name}`;
  if (hasSessionRule(interrupt, state, name)) return `always ${name}`;
  return approveAll === true ? '--dangerously-approve-all' : undefined;
}

/** A rule of the session counts for the tool as it was: one that has changed since is asked about again (T8). */
function hasSessionRule(interrupt: Interrupt, state: RunState, name: string): boolean {
  const tool = toolOf(interrupt, state);
  if (tool === undefined) return false;
  const digest = toolDigest(tool);
  return state.rules.some((rule) => rule.tool === name && rule.toolDigest === digest);
}
