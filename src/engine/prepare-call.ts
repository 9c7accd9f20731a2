import type {
  ApprovalRequest,
  Call,
  CallScene,
  JsonValue,
  SecretVault,
  Tool,
  ToolPlan,
} from '../core/index.js';
import {
  ageProblems,
  askedAgainLines,
  bothApprovers,
  codeAgreed,
  codeProblems,
  deepFreeze,
  isJsonObject,
  keptTitle,
  maskedAt,
  memberDifferences,
  messageOf,
  peopleAgreed,
  planDifferences,
  planDigest,
  present,
  refusedIn,
  requestJson,
  schemaDigest,
  standIns,
} from '../core/index.js';
import { bindingOf } from './binding.js';
import type { RoundScene } from './call-scene.js';
import { callScene } from './call-scene.js';
import type { HeldCall } from './call-draft.js';
import { approvalDraft, askAgain, MOST_QUESTIONS, readPeople, refuse, RESTLESS } from './call-draft.js';
import type { Revealed } from './reveal.js';
import { NOTHING_TYPED, reveal } from './reveal.js';
import { checked } from './checked.js';
import type { RunOptions } from './run-options.js';
import type { Stop } from './stop.js';

/** A call whose tool may be entered, with the parsed and frozen input. */
export interface RunnableCall {
  readonly type: 'run';
  readonly call: Call;
  readonly tool: Tool;
  /** With masks in the place of secrets: what is kept and shown. */
  readonly input: JsonValue;
  /** The call in one line, in the words of its tool. */
  readonly title?: string;
  /** The values that the body is given, with secrets in them; absent where there are no secrets. */
  readonly given?: { readonly input: JsonValue; readonly resumed?: JsonValue };
  /** `planDigest` of what a person agreed to, and was found again. */
  readonly plan?: string;
  /** The words of the gate in front of the tool; absent where it does not ask. */
  readonly wanted?: ApprovalRequest;
}

/** The things that may happen to a call before its tool is entered. */
export type PreparedCall = RunnableCall | HeldCall;

/**
 * Looks a call's tool up, checks the input, and asks for approval where the tool needs one: all before
 * anything runs. A look-up, schema or approval problem never stops the siblings. Never throws.
 */
export async function prepareCall(
  call: Call,
  options: Pick<RunOptions, 'tools' | 'runId' | 'vault'>,
  scene: RoundScene,
  stop: Stop,
): Promise<PreparedCall> {
  // A server that was connected for it, or has changed its list, may tell of the tool otherwise than before.
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const prepared = await lookedAt(call, options, scene, stop);
    if (prepared !== undefined) return prepared;
  }
  return refuse(call, 'rejected', RESTLESS);
}

/** The call as its tool is now; `undefined` where the tool became another one meanwhile. */
async function lookedAt(
  call: Call,
  options: Pick<RunOptions, 'tools' | 'runId' | 'vault'>,
  scene: RoundScene,
  stop: Stop,
): Promise<PreparedCall | undefined> {
  const { tools, runId, vault = NOTHING_TYPED } = options;
  const { name, problem } = call.request;
  if (problem !== undefined) return refuse(call, 'invalid-input', problem);
  const tool = tools.get(name);
  if (tool === undefined) {
    const known = tools.descriptors.map((descriptor) => descriptor.name).join(', ');
    return refuse(
      call,
      'not-found',
      `there is no tool \`${name}\`; the tools are: ${known === '' ? 'none' : known}`,
    );
  }
  const unread = refusedIn(call.input);
  if (unread !== undefined) return refuse(call, 'invalid-input', `the input was not accepted: ${unread}`);
  const whole = reveal(call, tool, vault);
  if (whole.type === 'missing') return askAgain(call, tool, whole, runId);
  const parsing = checked(() => tool.parseInput(whole.input));
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  if (!parsed.ok) {
    return refuse(
      call,
      'invalid-input',
      vault.maskText(`the input of \`${name}\` does not fit: ${parsed.issues.join('; ')}`),
    );
  }
  const found = tools.get(name);
  if (found !== tool && (found === undefined || !isSameTool(found, tool))) return undefined;
  const entered = deepFreeze(parsed.value);
  const input = deepFreeze(masked(entered, whole.secrets, vault));
  const own =
    tool.approval === undefined
      ? undefined
      : vault.mask(await approvalOf(tool, entered, callScene(call.request.ref, scene), stop));
  const wanted = withProposal(call, own);
  // Who asks first tells whoever is there; what was agreed to all the same does not count.
  const forbidden = call.resolved === undefined ? undefined : tool.forbids?.(entered, own?.facts);
  if (forbidden !== undefined)
    return refuse(call, 'rejected', vault.maskText(`${forbidden}; it did not run`));
  const title = tool.title === undefined ? {} : await titleFrom(tool, input);
  const given = givenTo(call, entered, whole);
  const ready: RunnableCall = { type: 'run', call, tool, input, ...given, ...title, ...present({ wanted }) };
  // Nobody agrees to it: there is no plan.
  if (wanted === undefined && codeAgreed(call) === undefined && call.approval === undefined) return ready;
  const plan = planOf(call, tool, input, wanted);
  const differences = differencesOf(call, plan);
  const isAgreed = call.approval !== undefined || wanted === undefined;
  if (differences.length === 0 && isAgreed) return { ...ready, ...agreedPlan(call, plan) };
  if (differences.length > 0 && (call.gated ?? 0) >= MOST_QUESTIONS)
    return refuse(call, 'rejected', RESTLESS);
  return asking(ready, differences, runId);
}

/** The times that a tool is looked at which changes meanwhile. */
const MOST_LOOKS = 3;

function isSameTool(one: Tool, other: Tool): boolean {
  return one.code === other.code && schemaDigest(one) === schemaDigest(other);
}

/** The question about a call that would run, with what is not as it was agreed to before everything else. */
function asking(
  { call, tool, input, title, wanted }: RunnableCall,
  lines: readonly string[],
  runId: string,
): HeldCall {
  const asked: ApprovalRequest = { ...wanted, warnings: [...lines, ...(wanted?.warnings ?? [])] };
  const draft = approvalDraft(tool, call, { input, ...present({ title }) }, asked);
  return { type: 'ask', call, draft: { ...draft, bound: bindingOf(tool, runId) } };
}

/**
 * A call at the moment at which its start is journaled: one whose approval is over by then is asked about again. The
 * count of questions about plans that change is none of it.
 * @param now milliseconds since 1970
 */
export function atStart(prepared: PreparedCall, now: number, runId: string): PreparedCall {
  if (prepared.type !== 'run') return prepared;
  const lines = ageProblems(prepared.call.approval?.age, now);
  return lines.length === 0 ? prepared : asking(prepared, askedAgainLines(lines), runId);
}

/** The words of the gate about a call, with what somebody proposed: others of the people who were asked agree to it. */
function withProposal(
  { proposal, input }: Pick<Call, 'proposal' | 'input'>,
  wanted: ApprovalRequest | undefined,
): ApprovalRequest | undefined {
  if (proposal === undefined) return wanted;
  const { by, was } = proposal;
  const change =
    isJsonObject(was) && isJsonObject(input)
      ? memberDifferences(was, input).join(', ')
      : 'the input is another';
  const warning = `proposed by ${by.name}, who does not approve it: ${change}`;
  const approvers = bothApprovers(proposal.approvers, wanted?.approvers);
  return {
    ...wanted,
    warnings: [warning, ...(wanted?.warnings ?? [])],
    ...(approvers !== undefined && { approvers }),
  };
}

/** Masks what was typed wherever the tool has put it. */
function masked(input: JsonValue, places: readonly string[], vault: SecretVault): JsonValue {
  return places.length === 0 ? input : vault.mask(maskedAt(input, places));
}

function givenTo(
  { secrets }: Call,
  input: JsonValue,
  { resumed }: Revealed & { type: 'whole' },
): Pick<RunnableCall, 'given'> {
  return secrets === undefined ? {} : { given: { input, ...(resumed !== undefined && { resumed }) } };
}

/** The one place that makes a plan: when a question is asked, and again just before anything runs (law 5). */
function planOf(
  { approval }: Call,
  tool: Tool,
  input: JsonValue,
  wanted: ApprovalRequest | undefined,
): ToolPlan {
  // What an older version asked says nothing about the tool: an answer to it binds none. Nor does one that is to be given.
  const isBound = approval === undefined || approval.tool !== undefined;
  const people = readPeople(wanted?.approvers).kept;
  return {
    name: tool.name,
    input,
    ...(isBound && { tool: schemaDigest(tool), ...present({ code: tool.code }) }),
    ...(wanted !== undefined && { request: requestJson(wanted) }),
    ...people,
    ...(wanted?.deadline !== undefined && { standIns: standIns(wanted.deadline, people.approvers) }),
  };
}

/** Tells what is not as it was agreed to, and by whom: whoever let the call run again counts. */
function differencesOf(call: Call, plan: ToolPlan): readonly string[] {
  if (call.approval === undefined) return askedAgainLines(retryProblems(call, plan));
  const { approvers: _gate, ...agreed } = call.approval;
  const approvers = peopleAgreed(call);
  return planDifferences({ ...agreed, ...(approvers && { approvers }) }, plan);
}

/** What a person let run again, without an approval before: that code, and no other. */
function retryProblems(call: Call, { name, code }: ToolPlan): readonly string[] {
  const agreed = codeAgreed(call);
  return agreed === undefined ? [] : codeProblems(agreed.code, code, { what: name, done: 'approved' });
}

/** Gives the part of the plan that the journal keeps, where a person agreed to all of it. */
function agreedPlan({ approval }: Call, plan: ToolPlan): Pick<RunnableCall, 'plan'> {
  if (approval === undefined || approval.asTyped === true) return {};
  const { request, approvers } = approval;
  const { approvers: _now, standIns: _later, ...rest } = plan;
  const agreed = { ...rest, ...(request !== undefined && { request }), ...(approvers && { approvers }) };
  return { plan: planDigest(agreed) };
}

/** Asks the gate in front of a tool about an input. A gate that cannot decide asks a person (G35). */
export async function approvalOf(
  tool: Tool,
  input: JsonValue,
  scene: CallScene,
  stop: Pick<Stop, 'child'>,
): Promise<ApprovalRequest | undefined> {
  if (tool.approval === undefined) return undefined;
  const own = stop.child();
  try {
    return await tool.approval(input, own.signal, scene);
  } catch (thrown) {
    return { warnings: [`whether this needs approval could not be decided: ${messageOf(thrown)}`] };
  } finally {
    own.release();
  }
}

/** Asks the tool for its title of a call. Nothing depends on a tool that cannot tell. */
async function titleFrom(tool: Tool, input: JsonValue): Promise<{ readonly title?: string }> {
  try {
    const title = keptTitle(await tool.title?.(input));
    return title === undefined ? {} : { title };
  } catch {
    return {}; // the name and the input say it
  }
}
