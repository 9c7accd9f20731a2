import type { ApprovalPolicy, JsonValue, RunState, Tool, ToolRule, ToolSet } from '../src/core/index.js';
import {
  escapeText,
  factsShown,
  HitlError,
  NO_SCENE,
  messageOf,
  meantHint,
  nearNames,
  onlyReadsHere,
  parseStrictJson,
  peopleWords,
  requestJson,
  unescapeText,
} from '../src/core/index.js';
import { ruleOn } from '../src/human/index.js';
import type { ExitStatus } from './exit/exit-codes.js';
import type { Io } from './host/index.js';
import { modeOf } from './flags/mode.js';
import { offeredTools } from './agent/offered-tools.js';
import type { ApprovalFlags, OfferFlags } from './flags/options.js';
import { printJson, tell } from './host/index.js';
import type { RulesFlags } from './rules.js';
import { openStore } from './store/store.js';

/** What would happen to a call. `refused`: the tool cannot run with this input, so no one is asked. */
interface Outcome {
  readonly outcome: 'denied' | 'asked' | 'approved' | 'runs' | 'refused';
  readonly why: string;
  readonly rule?: string;
  readonly from?: string;
  /** Approvers required by the tool and the rules together. */
  readonly approvers?: ApprovalPolicy;
}

/** `hitl rules test`: shows what would happen to one call, and why. Runs nothing. */
export async function testRules(
  io: Io,
  name: string,
  text: string | undefined,
  given: RulesFlags & OfferFlags & ApprovalFlags & { readonly exitCode?: boolean },
): Promise<number> {
  const state = await stateOf(io, given);
  await using offered = await offeredTools(io, given, modeOf(io, given), state?.agent);
  const { set, rules, flags } = offered;
  const tool = set.get(name);
  if (tool === undefined) throw noTool(name, set);
  const input = inputOf(text);
  const found = await outcomeOf(tool, input, {
    rules: rules.all,
    approved: state ?? { rules: [] },
    at: io.clock.now(),
  });
  if (flags.json === true) printJson(io, { tool: tool.name, input, ...found });
  else {
    const people =
      found.approvers === undefined ? '' : `; required approvers: ${peopleWords(found.approvers)}`;
    tell(io.stdout, escapeText(`${found.outcome}: ${found.why}${people}`));
  }
  return given.exitCode === true ? STATUSES[found.outcome] : 0;
}

/** Exit statuses for `--exit-code`. They are nonzero if a person would be asked or the call would not run. */
const STATUSES: Readonly<Record<Outcome['outcome'], ExitStatus>> = {
  runs: 0,
  approved: 0,
  refused: 2,
  asked: 3,
  denied: 9,
};

/** Creates the error for an unknown tool, with a suggestion. */
export function noTool(name: string, { descriptors }: ToolSet): HitlError {
  const names = descriptors.map((one) => one.name);
  return new HitlError('USAGE', `unknown tool \`${name}\``, {
    hint: meantHint(nearNames(name, names).slice(0, 1), `valid tools: ${names.join(', ')}`),
  });
}

function inputOf(text: string | undefined): JsonValue {
  if (text === undefined) return {};
  const json = parseStrictJson(text);
  if (json.ok) return json.value;
  throw new HitlError('USAGE', `the input is not valid JSON: ${unescapeText(json.message)}`, {
    hint: `hitl rules test run_command '{"command":"rm -rf build"}'`,
  });
}

type Approvals = Parameters<typeof ruleOn>[1];

async function stateOf(io: Io, flags: RulesFlags): Promise<RunState | undefined> {
  if (flags.session === undefined) return undefined;
  const store = openStore(io, flags);
  await using session = await store.open(await store.resolve(flags.session), 'read');
  return session.state;
}

interface InForce {
  readonly rules: readonly ToolRule[];
  readonly approved: Approvals;
  readonly at: number;
}

async function outcomeOf(tool: Tool, given: JsonValue, { rules, approved, at }: InForce): Promise<Outcome> {
  const parsed = await tool.parseInput(given);
  if (!parsed.ok) return { outcome: 'refused', why: `invalid input: ${parsed.issues.join('; ')}` };
  const input = parsed.value;
  const problem = await tool.problem?.(input, new AbortController().signal);
  if (problem !== undefined) return { outcome: 'refused', why: problem };
  const gate = await askedBy(tool, input);
  const payload = gate?.payload ?? (await factsOf(tool, input));
  const verdict = ruleOn({ name: tool.name, input, payload, tool, at }, approved, { rules });
  if (verdict.rule === undefined) {
    const { why } = verdict;
    return gate === undefined
      ? { outcome: 'runs', why: `no rule matches, and ${whyUnasked(tool, payload)}` }
      : { outcome: 'asked', why: `${gate.why}, and ${why ?? 'no rule matches'}`, ...peopleOf(gate) };
  }
  const { rule, from, says } = verdict;
  const because = `rule \`${rule}\` (${from}) ${says}`;
  const named = { rule, from };
  switch (verdict.type) {
    case 'deny':
      return { outcome: 'denied', why: because, ...named };
    case 'allow':
      return gate === undefined
        ? { outcome: 'runs', why: `the tool does not ask for approval, and ${because}`, ...named }
        : allowed(because, named, gate);
    case 'ask':
      return { outcome: 'asked', why: because, ...named, ...peopleOf(gate) };
  }
}

/** Explains why a call runs without asking if no rule applies to it. */
function whyUnasked({ name }: Tool, payload: JsonValue): string {
  return onlyReadsHere(name, factsShown(payload))
    ? 'it runs in a sandbox that cannot change or send anything'
    : 'the tool does not ask for approval';
}

type Named = Pick<Outcome, 'rule' | 'from'>;

/**
 * Returns the outcome for a call that a rule allows. If approvers are required, the call still waits for
 * them.
 */
function allowed(why: string, named: Named, gate: Gate): Outcome {
  if (gate.approvers === undefined) return { outcome: 'approved', why, ...named };
  return {
    outcome: 'asked',
    why: `${why}, but a rule cannot vote in place of the required approvers`,
    ...named,
    ...peopleOf(gate),
  };
}

function peopleOf(gate: Gate | undefined): Pick<Outcome, 'approvers'> {
  return gate?.approvers === undefined ? {} : { approvers: gate.approvers };
}

/** Returns a call's details for a tool that does not ask. */
async function factsOf(tool: Tool, input: JsonValue): Promise<JsonValue> {
  const facts = await tool.facts?.(input, new AbortController().signal);
  return facts === undefined ? {} : { facts };
}

interface Gate {
  readonly why: string;
  readonly payload?: JsonValue;
  readonly approvers?: ApprovalPolicy;
}

/** Returns the reason that the tool's approval check asks about a call, or `undefined` if it does not. */
async function askedBy(tool: Tool, input: JsonValue): Promise<Gate | undefined> {
  try {
    const wanted = await tool.approval?.(input, new AbortController().signal, NO_SCENE);
    if (wanted === undefined) return undefined;
    const { reason, approvers } = wanted;
    const why = reason === undefined ? 'the tool asks before it runs' : `the tool asks: ${reason}`;
    return { why, payload: requestJson(wanted), ...(approvers !== undefined && { approvers }) };
  } catch (thrown) {
    return { why: `could not determine whether the tool asks, so it asks: ${messageOf(thrown)}` }; // G35
  }
}
