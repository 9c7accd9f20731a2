import type { JsonValue, Tool } from '../src/core/index.js';
import {
  escapeText,
  HitlError,
  messageOf,
  parseStrictJson,
  requestJson,
  unescapeText,
} from '../src/core/index.js';
import { ruleOn } from '../src/human/index.js';
import { effectiveFlags } from './config/index.js';
import type { Io } from './host/index.js';
import { modeOf } from './flags/index.js';
import { offeredTools } from './agent/index.js';
import type { RunFlags } from './flags/index.js';
import { printJson } from './host/index.js';
import type { RulesFlags } from './rules.js';
import { openStore } from './store/index.js';

/** What would happen to a call. `refused`: the input does not fit the tool, so that nobody is asked. */
interface Outcome {
  readonly outcome: 'denied' | 'asked' | 'approved' | 'runs' | 'refused';
  readonly why: string;
  readonly rule?: string;
  readonly from?: string;
}

/** `hitl rules test`: what would happen to one call, and why; nothing runs. */
export async function testRules(
  io: Io,
  [name, text]: readonly unknown[],
  given: RulesFlags & RunFlags,
): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const set = await offeredTools(io, flags, mode, config);
  const tool = set.get(String(name));
  if (tool === undefined)
    throw new HitlError('USAGE', `there is no tool \`${String(name)}\``, {
      hint: `the tools are: ${set.descriptors.map((one) => one.name).join(', ')}`,
    });
  const input = inputOf(text);
  const found = await outcomeOf(tool, input, { ...flags, approved: await approvedIn(io, given) });
  if (flags.json === true) printJson(io, { tool: tool.name, input, ...found });
  else io.stdout.write(`${escapeText(`${found.outcome}: ${found.why}`)}\n`);
  return 0;
}

function inputOf(text: unknown): JsonValue {
  if (typeof text !== 'string') return {};
  const json = parseStrictJson(text);
  if (json.ok) return json.value;
  throw new HitlError('USAGE', `the input is no JSON: ${unescapeText(json.message)}`, {
    hint: `hitl rules test run_command '{"command":"rm -rf build"}'`,
  });
}

type Approvals = Parameters<typeof ruleOn>[1];

async function approvedIn(io: Io, flags: RulesFlags): Promise<Approvals> {
  if (flags.session === undefined) return { rules: [] };
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(flags.session), 'read');
  return { rules: session.state.rules };
}

interface InForce extends RunFlags {
  readonly approved: Approvals;
}

async function outcomeOf(
  tool: Tool,
  given: JsonValue,
  { yes, dangerouslyApproveAll: approveAll, rules = [], approved }: InForce,
): Promise<Outcome> {
  const parsed = await tool.parseInput(given);
  if (!parsed.ok) return { outcome: 'refused', why: `the input does not fit: ${parsed.issues.join('; ')}` };
  const input = parsed.value;
  const gate = await askedBy(tool, input);
  const verdict = ruleOn({ name: tool.name, input, payload: gate?.payload ?? {}, tool }, approved, {
    rules,
    ...(yes !== undefined && { yes }),
    ...(approveAll !== undefined && { approveAll }),
  });
  const { rule, from } = verdict;
  const named = { ...(rule !== undefined && { rule }), ...(from !== undefined && { from }) };
  const which = from === undefined ? (rule ?? '') : `${rule ?? ''} (${from})`;
  if (verdict.type === 'deny') return { outcome: 'denied', why: `the rule ${which} denies it`, ...named };
  if (verdict.type === 'allow')
    return gate === undefined
      ? { outcome: 'runs', why: `it does not ask; what its body asks is approved by ${which}`, ...named }
      : { outcome: 'approved', why: `${gate.why}; ${which} approves it`, ...named };
  if (rule === undefined)
    return gate === undefined
      ? { outcome: 'runs', why: 'no rule is about it, and the tool does not ask before it runs' }
      : { outcome: 'asked', why: `${gate.why}, and ${verdict.why ?? 'no rule answers'}` };
  const doubt = verdict.why === undefined ? '' : `: ${verdict.why}`;
  return { outcome: 'asked', why: `the rule ${which} asks${doubt}`, ...named };
}

interface Gate {
  readonly why: string;
  readonly payload?: JsonValue;
}

/** Why the gate in front of a tool asks; `undefined` where it does not. */
async function askedBy(tool: Tool, input: JsonValue): Promise<Gate | undefined> {
  try {
    const wanted = await tool.approval?.(input, new AbortController().signal);
    if (wanted === undefined) return undefined;
    const { reason } = wanted;
    const why = reason === undefined ? 'the tool asks before it runs' : `the tool asks: ${reason}`;
    return { why, payload: requestJson(wanted) };
  } catch (thrown) {
    return { why: `whether the tool asks could not be decided, so it does: ${messageOf(thrown)}` }; // G35
  }
}
