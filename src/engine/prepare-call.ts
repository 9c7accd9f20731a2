import type {
  ApprovalPolicy,
  ApprovalRequest,
  Call,
  CallScene,
  Deadline,
  Effect,
  Interrupt,
  InterruptDraft,
  JsonValue,
  KeptDeadline,
  Message,
  ParseResult,
  Sequence,
  Tool,
  ToolErrorCode,
  ToolOutcome,
  ToolPlan,
  ToolSet,
} from '../core/index.js';
import {
  ageProblems,
  allowedBy,
  approversOf,
  askedAgainLines,
  asksForEdit,
  bothApprovers,
  changedBesideEdit,
  codeAgreed,
  codeProblems,
  deadlineOf,
  deepFreeze,
  isForNobody,
  isJsonObject,
  isUnseenEdit,
  keptTitle,
  maskedAt,
  maskPlaces,
  memberDifferences,
  messageOf,
  narrowed,
  NOBODY,
  peopleAgreed,
  planDifferences,
  planDigest,
  present,
  proposedIn,
  refusedIn,
  requestJson,
  schemaDigest,
  SecretVault,
  standIns,
} from '../core/index.js';
import type { ShownCall } from './interrupts.js';
import { bindingOf, toolSource } from './interrupts.js';
import type { RunOptions } from './run-options.js';
import type { Stop } from './stop.js';

/** A run's options that are visible to its calls. */
export type SceneOptions = Pick<RunOptions, 'runId' | 'sessionId' | 'context'>;

/** Context shared by the calls in one reply. */
export type RoundScene = Omit<CallScene, 'ref'>;

/** Returns the context of the calls requested after these messages. */
export function roundScene(
  messages: Sequence<Message>,
  { runId, sessionId = runId, context }: SceneOptions,
): RoundScene {
  return { sessionId, messages, context };
}

/** A call that is ready to run, with its parsed and frozen input. */
export interface RunnableCall {
  readonly type: 'run';
  readonly call: Call;
  readonly tool: Tool;
  /** The input as it is stored and shown, with secrets masked. */
  readonly input: JsonValue;
  /** The tool's one-line title for the call. */
  readonly title?: string;
  /** The effect of running this call again. */
  readonly effect: Effect;
  /** The values for the tool, with secrets filled in; absent if there are no secrets. */
  readonly given?: { readonly input: JsonValue; readonly resumed?: JsonValue };
  /** `planDigest` of the approved plan that the call matches. */
  readonly plan?: string;
  /** Request of the approval check; absent if it does not ask. */
  readonly wanted?: ApprovalRequest;
}

/** A call that does not run: it ends, or a question is asked about it. */
export type HeldCall =
  | { readonly type: 'settle'; readonly call: Call; readonly outcome: ToolOutcome }
  | { readonly type: 'ask'; readonly call: Call; readonly draft: InterruptDraft };

/** The result of preparing a call. */
export type PreparedCall = RunnableCall | HeldCall;

type PrepareOptions = Pick<RunOptions, 'tools' | 'runId' | 'vault'>;

/** Maximum number of times a call is prepared if its tool keeps changing. */
const MOST_LOOKS = 3;
/** Maximum number of questions about a call if its plan changes each time. */
const MOST_QUESTIONS = 5;
const RESTLESS = 'this call would do something different each time it is approved; it did not run';

/**
 * Decides what happens to a call before it runs: it runs, a person is asked, or the model receives a refusal.
 * A problem with one call never stops the other calls of the reply. Never throws.
 */
export async function prepareCall(
  call: Call,
  options: PrepareOptions,
  scene: RoundScene,
  stop: Stop,
): Promise<PreparedCall> {
  // A server that was connected for the call, or has changed its list, may describe the tool otherwise than before.
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const prepared = await prepareOnce(call, options, scene, stop);
    if (prepared !== 'tool-changed') return prepared;
  }
  return refuse(call, 'rejected', RESTLESS);
}

async function prepareOnce(
  call: Call,
  { tools, runId, vault = NOTHING_TYPED }: PrepareOptions,
  scene: RoundScene,
  stop: Stop,
): Promise<PreparedCall | 'tool-changed'> {
  // 1. The request could be read, and its tool is here.
  const found = findTool(call, tools);
  if (found.type !== 'found') return found;
  const { tool } = found;

  // 2. The secrets that a person typed stand in the place of their masks. If one is gone, it is asked for again.
  const revealed = reveal(call, tool, vault);
  if (revealed.type === 'missing') return askAgain(call, tool, revealed, runId);

  // 3. The input fits the tool, and what is there. From here on nobody changes it.
  const parsed = await parseInput(call, tool, revealed, { vault, stop });
  if (parsed.type !== 'parsed') return parsed;
  const { entered, shown } = parsed;

  // 4. The tool is still the one that was found.
  if (hasChanged(tools.get(tool.name), tool)) return 'tool-changed';

  // 5. The gate in front of the tool says whether a person must approve, and what they must know.
  const gate =
    tool.approval === undefined
      ? undefined
      : vault.mask(await approvalOf(tool, entered, { ...scene, ref: call.request.ref }, stop));
  const wanted = withProposal(call, gate);

  // 6. A deny rule beats an approval. An unanswered call is still asked about, so that the rejection names the rule.
  const forbidden = call.resolved === undefined ? undefined : await forbiddenBy(tool, entered, gate, stop);
  if (forbidden !== undefined)
    return refuse(call, 'rejected', vault.maskText(`${forbidden}; it did not run`));

  // 7. The tool says in one line what the call does, and what a second run of it would do.
  const title = await titleOf(tool, shown);
  const effect = await effectOf(tool, entered, stop);
  const ready: RunnableCall = {
    type: 'run',
    call,
    tool,
    input: shown,
    effect,
    ...givenTo(call, entered, revealed),
    ...present({ title, wanted }),
  };

  // 8. Nobody has to agree, and nobody did: it runs.
  if (wanted === undefined && codeAgreed(call) === undefined && call.approval === undefined) return ready;

  // 9. Somebody agreed, and the plan is the one that they saw: it runs. Otherwise a person is asked.
  return compareWithAgreed(ready, runId, await changedBeside(call, tool, { vault, scene }, stop));
}

// 1. The request and its tool

function findTool(call: Call, tools: ToolSet): { readonly type: 'found'; readonly tool: Tool } | HeldCall {
  const { name, problem } = call.request;
  if (problem !== undefined) return refuse(call, 'invalid-input', problem);
  const tool = tools.get(name);
  if (tool === undefined) {
    const known = tools.descriptors.map((descriptor) => descriptor.name).join(', ');
    const message = `unknown tool \`${name}\`; available tools: ${known === '' ? 'none' : known}`;
    return refuse(call, 'not-found', message);
  }
  const unread = refusedIn(call.input);
  if (unread !== undefined) return refuse(call, 'invalid-input', `the input was rejected: ${unread}`);
  return { type: 'found', tool };
}

/** Ends a call without running it, with a message for the model. */
function refuse(call: Call, code: ToolErrorCode, message: string): HeldCall {
  return { type: 'settle', call, outcome: { type: 'error', code, message } };
}

// 2. Secrets

/** Values for the tool, with typed secrets filled in: its input, and the value passed with an approval. */
type Revealed =
  | {
      readonly type: 'whole';
      readonly input: JsonValue;
      readonly resumed?: JsonValue;
      /** Paths of the secrets in the input. They are masked wherever the input is stored or shown. */
      readonly secrets: readonly string[];
    }
  /**
   * Secrets are missing because they were typed in a process that has ended. `question` is the question that
   * they answered, if the tool itself asked it.
   */
  | { readonly type: 'missing'; readonly places: readonly string[]; readonly question?: Interrupt };

/** An empty vault, for callers that have no secrets. */
export const NOTHING_TYPED = new SecretVault();

/** Replaces masks with secrets. If a secret is missing, the call cannot run. */
function reveal({ input, resumed, secrets }: Call, tool: Tool, vault = NOTHING_TYPED): Revealed {
  const question = secrets?.resumed?.question;
  const unsaid = secrets?.resumed === undefined ? [] : vault.missing(secrets.resumed);
  if (question !== undefined && unsaid.length > 0) return { type: 'missing', places: unsaid, question };
  const typed = secrets?.input?.at ?? [];
  const masks = maskPlaces(input, tool.inputSchema);
  const gone = secrets?.input === undefined ? [] : vault.missing(secrets.input);
  const missing = [...new Set([...gone, ...masks.filter((place) => !typed.includes(place))])];
  const whole = secrets?.input === undefined ? input : vault.reveal(input, secrets.input);
  if (missing.length > 0 || whole === undefined) return { type: 'missing', places: missing };
  const passedOn =
    resumed === undefined || secrets?.resumed === undefined
      ? resumed
      : vault.reveal(resumed, secrets.resumed);
  return {
    type: 'whole',
    input: whole,
    secrets: typed,
    ...(passedOn !== undefined && { resumed: passedOn }),
  };
}

const NOT_KEPT = 'was typed into a process that has ended, and was not saved: type it again';

/**
 * Asks again for missing secrets. If they were typed at a question, that question is repeated. If they were
 * part of an edit, the question about the call is asked.
 */
function askAgain(
  call: Call,
  tool: Tool,
  { places, question }: Revealed & { type: 'missing' },
  runId: string,
): HeldCall {
  const names = places.map((place) =>
    place === '' ? 'the answer' : `\`${place.slice(1).replaceAll('/', '.')}\``,
  );
  const again = `${names.join(', ')} ${NOT_KEPT}`;
  const bound = bindingOf(tool, runId);
  if (question !== undefined) {
    const {
      kind,
      source,
      answerSchema,
      allowed,
      edit,
      inputSchema,
      resumeSchema,
      payload,
      approvers,
      proposed,
    } = question;
    const said = isJsonObject(payload) ? { ...payload, again } : payload;
    const agreed = call.approval === undefined ? {} : { input: call.approval.input };
    const draft = {
      kind,
      source: { ...source, ...agreed },
      payload: said,
      allowed,
      ...(edit && { edit }),
      ...(inputSchema && { inputSchema }),
      ...(resumeSchema && { resumeSchema }),
      ...(answerSchema && { answerSchema }),
      ...(approvers && { approvers }),
      ...(proposed && { proposed }),
      bound,
    };
    return { type: 'ask', call, draft };
  }
  if ((call.gated ?? 0) >= MOST_QUESTIONS) return refuse(call, 'rejected', `${again}; it did not run`);
  const draft = approvalDraft(tool, call, { input: call.input }, { warnings: [`${again}, by an edit`] });
  return { type: 'ask', call, draft: { ...draft, bound } };
}

// 3. and 4. The input

async function parseInput(
  call: Call,
  tool: Tool,
  { input, secrets }: Revealed & { type: 'whole' },
  { vault, stop }: { readonly vault: SecretVault; readonly stop: Stop },
): Promise<{ readonly type: 'parsed'; readonly entered: JsonValue; readonly shown: JsonValue } | HeldCall> {
  const parsed = await workable(tool, input, stop);
  if (!parsed.ok) {
    const message = `invalid input for \`${tool.name}\`: ${parsed.issues.join('; ')}`;
    return refuse(call, 'invalid-input', vault.maskText(message));
  }
  const entered = deepFreeze(parsed.value);
  return { type: 'parsed', entered, shown: deepFreeze(masked(entered, secrets, vault)) };
}

/** Runs a validation function of a tool. If the function throws, validation fails. Never throws. */
export async function checked(check: () => ParseResult | Promise<ParseResult>): Promise<ParseResult> {
  try {
    return await check();
  } catch (thrown) {
    return { ok: false, issues: [messageOf(thrown)] };
  }
}

/** Parses an input, and checks with the tool that it can work in the current situation. Never throws. */
export async function workable(
  tool: Tool,
  input: JsonValue,
  stop: Pick<Stop, 'child'>,
): Promise<ParseResult> {
  using own = stop.child();
  // Only an MCP tool may wait, and a signal for every call would cost memory.
  const signal = tool.mcp === undefined ? undefined : own.signal;
  const parsed = await checked(() => tool.parseInput(input, signal));
  if (!parsed.ok || tool.problem === undefined) return parsed;
  try {
    const problem = await tool.problem(deepFreeze(parsed.value), own.signal);
    return problem === undefined ? parsed : { ok: false, issues: [problem] };
  } catch {
    return parsed; // its gate says so, to a person
  }
}

/** Masks typed secrets wherever the tool has put them in its input. */
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

function hasChanged(now: Tool | undefined, tool: Tool): boolean {
  if (now === tool) return false;
  return now === undefined || now.code !== tool.code || schemaDigest(now) !== schemaDigest(tool);
}

// 5. The gate

/** Runs the approval check of a tool for an input. If the check cannot decide, the user is asked (G35). */
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
    return { warnings: [`cannot determine whether this needs approval: ${messageOf(thrown)}`] };
  } finally {
    own.release();
  }
}

/**
 * Adds a proposed edit to the approval request. Approvers other than the person who proposed it must approve
 * it.
 */
function withProposal(
  { proposal, input }: Pick<Call, 'proposal' | 'input'>,
  wanted: ApprovalRequest | undefined,
): ApprovalRequest | undefined {
  if (proposal === undefined) return wanted;
  const { by, was } = proposal;
  const change =
    isJsonObject(was) && isJsonObject(input)
      ? memberDifferences(was, input).join(', ')
      : 'the input is different';
  const warning = `proposed by ${by.name}, who cannot approve it: ${change}`;
  const approvers = bothApprovers(proposal.approvers, wanted?.approvers);
  return {
    ...wanted,
    warnings: [warning, ...(wanted?.warnings ?? [])],
    ...(approvers !== undefined && { approvers }),
  };
}

// 6. Rules that deny

/**
 * Returns the reason that a rule denies a call; `undefined` if none does. If the approval check did not
 * provide the call's details, the tool is asked for them.
 */
async function forbiddenBy(
  tool: Tool,
  input: JsonValue,
  gate: ApprovalRequest | undefined,
  stop: Pick<Stop, 'child'>,
): Promise<string | undefined> {
  if (tool.forbids === undefined) return undefined;
  const own = stop.child();
  try {
    const facts = gate?.facts ?? (await tool.facts?.(input, own.signal));
    return tool.forbids(input, facts);
  } catch {
    return tool.forbids(input); // without its facts, a rule may mean it
  } finally {
    own.release();
  }
}

// 7. The title and the effect

/**
 * Asks the tool for the effect of a call. The result is never stronger than the effect that the tool declares
 * for all its calls.
 */
async function effectOf(tool: Tool, input: JsonValue, stop: Pick<Stop, 'child'>): Promise<Effect> {
  if (tool.effectOf === undefined) return tool.effect;
  const own = stop.child();
  try {
    const effect = await tool.effectOf(input, own.signal);
    return effect === 'none' || (effect === 'idempotent' && tool.effect === 'once') ? effect : tool.effect;
  } catch {
    return tool.effect;
  } finally {
    own.release();
  }
}

/** Asks the tool for the title of a call; `undefined` if that fails, because nothing depends on the title. */
export async function titleOf(tool: Tool, input: JsonValue): Promise<string | undefined> {
  if (tool.title === undefined) return undefined;
  try {
    return keptTitle(await tool.title(input));
  } catch {
    return undefined; // the name and the input say it
  }
}

// 9. The plan, and what was agreed to

function compareWithAgreed(ready: RunnableCall, runId: string, beside: readonly string[]): PreparedCall {
  const { call, wanted } = ready;
  const plan = planOf(ready);
  const differences = [...differencesOf(call, plan), ...beside];
  const isAgreed = call.approval === undefined ? wanted === undefined : !asksForEdit(call.approval, plan);
  if (differences.length === 0 && isAgreed) return { ...ready, ...agreedPlan(call, plan) };
  if (differences.length > 0 && (call.gated ?? 0) >= MOST_QUESTIONS)
    return refuse(call, 'rejected', RESTLESS);
  return asking(ready, differences, runId);
}

/**
 * Lists outside changes that occurred in addition to a person's edit that has not been shown yet. The edit
 * itself is not an outside change and must not hide one that is. Therefore, the call is checked again as it
 * was before the edit, and compared with what was shown.
 */
async function changedBeside(
  { approval, originalInput, resolved, request: { ref } }: Call,
  tool: Tool,
  { vault, scene }: { readonly vault: SecretVault; readonly scene: RoundScene },
  stop: Stop,
): Promise<readonly string[]> {
  const source = resolved?.interrupt.source;
  const isGate = source?.type === 'tool' && source.raisedBy === 'approval';
  if (approval === undefined || originalInput === undefined || !isGate || !isUnseenEdit(approval)) return [];
  const isMasked = maskPlaces(originalInput, tool.inputSchema).length > 0;
  const parsed = isMasked ? undefined : await workable(tool, originalInput, stop);
  if (parsed?.ok !== true) return changedBesideEdit(approval.shown, undefined);
  const wanted = vault.mask(await approvalOf(tool, deepFreeze(parsed.value), { ...scene, ref }, stop));
  return changedBesideEdit(approval.shown, wanted === undefined ? {} : requestJson(wanted));
}
/**
 * Creates the plan of a call. No other function does so. It is used when a question is asked and again just
 * before anything runs (law 5).
 */
function planOf({ call: { approval }, tool, input, wanted }: RunnableCall): ToolPlan {
  // Approvals from older versions carry no tool digest, and do not bind the tool. Before an approval the plan binds it.
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

/**
 * Lists the differences between a call and the approved one, including differences in the approvers. A person
 * who allowed the call to run again counts as an approver.
 */
function differencesOf(call: Call, plan: ToolPlan): readonly string[] {
  if (call.approval === undefined) return askedAgainLines(retryProblems(call, plan));
  const { approvers: _gate, ...agreed } = call.approval;
  const approvers = peopleAgreed(call);
  return planDifferences({ ...agreed, ...(approvers && { approvers }) }, plan);
}

/** Lists code changes that prevent a retry without an approval, because the retry must run the same code. */
function retryProblems(call: Call, { name, code }: ToolPlan): readonly string[] {
  const agreed = codeAgreed(call);
  return agreed === undefined ? [] : codeProblems(agreed.code, code, { what: name, done: 'approved' });
}

/** Returns the digest of a fully approved plan, for the journal. */
function agreedPlan({ approval }: Call, plan: ToolPlan): Pick<RunnableCall, 'plan'> {
  if (approval === undefined || approval.asTyped === true) return {};
  const { request, approvers } = approval;
  const { approvers: _now, standIns: _later, ...rest } = plan;
  const agreed = { ...rest, ...(request !== undefined && { request }), ...(approvers && { approvers }) };
  return { plan: planDigest(agreed) };
}

/**
 * Returns the call as it is when its start is recorded in the journal. If its approval has expired, or came
 * from a reviewer that is no longer active, the call asks again. This does not count as a changed plan.
 * @param now milliseconds since 1970
 */
export function atStart(
  prepared: PreparedCall,
  now: number,
  { runId, reviewedBy = () => false }: Pick<RunOptions, 'runId' | 'reviewedBy'>,
): PreparedCall {
  if (prepared.type !== 'run') return prepared;
  const { call } = prepared;
  const reviewer = allowedBy(call);
  const lines = [
    ...ageProblems(call.approval?.age, now),
    ...(reviewer === undefined || call.resolved === undefined || reviewedBy(reviewer, call.resolved.interrupt)
      ? []
      : [`allowed by reviewer ${reviewer.name}, which is no longer active`]),
  ];
  return lines.length === 0 ? prepared : asking(prepared, askedAgainLines(lines), runId);
}

// The questions about a call that would run

/** Creates the question about a call. It starts with the changes since an earlier approval. */
function asking(runnable: RunnableCall, lines: readonly string[], runId: string): HeldCall {
  const { call, tool, wanted } = runnable;
  const asked: ApprovalRequest = { ...wanted, warnings: [...lines, ...(wanted?.warnings ?? [])] };
  const draft = approvalDraft(tool, call, runnable, asked);
  return { type: 'ask', call, draft: { ...draft, bound: bindingOf(tool, runId) } };
}

/** Creates the question that the approval check of a tool asks. */
function approvalDraft(
  tool: Tool,
  call: Call,
  shown: ShownCall,
  wanted: ApprovalRequest = {},
): InterruptDraft {
  const { reason, facts, diff, grants, deadline = {} } = wanted;
  const { kept, problem = [] } = readDeadline(deadline);
  const people = readPeople(wanted.approvers);
  const warnings = [...(wanted.warnings ?? []), ...problem, ...(people.problem ?? [])];
  const payload: JsonValue = {
    ...(reason !== undefined && { reason }),
    ...(facts !== undefined && { facts }),
    ...(diff !== undefined && { diff }),
    ...(warnings.length > 0 && { warnings }),
    ...(grants !== undefined && { grants }),
  };
  return {
    kind: 'confirmation',
    source: toolSource(call, shown, 'approval'),
    payload,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { answerSchema: tool.outputSchema }),
    ...kept,
    ...people.kept,
    ...proposedIn(call),
    ...(wanted.allowed !== undefined && narrowed('confirmation', { type: 'tool' }, wanted.allowed)),
  };
}

/**
 * Parses the approvers. If they are unreadable, no one can approve: the question says so and can only be
 * rejected.
 */
function readPeople(approvers: ApprovalPolicy | undefined): {
  readonly kept: { readonly approvers?: ApprovalPolicy };
  readonly problem?: readonly string[];
} {
  if (approvers !== undefined && isForNobody(approvers)) {
    const problem = ['it cannot be approved: the tool and its rules leave no eligible approver'];
    return { kept: { approvers: NOBODY }, problem };
  }
  try {
    const kept = approversOf(approvers);
    return { kept: { ...(kept && { approvers: kept }) } };
  } catch (thrown) {
    const problem = [`it cannot be approved: ${messageOf(thrown)}`];
    return { kept: { approvers: NOBODY }, problem };
  }
}

/** Parses a deadline. If it is unreadable, the question waits without one and says so. */
function readDeadline(deadline: Deadline): {
  readonly kept: KeptDeadline;
  readonly problem?: readonly string[];
} {
  try {
    return { kept: deadlineOf(deadline) };
  } catch (thrown) {
    return { kept: {}, problem: [`its deadline is ignored: ${messageOf(thrown)}`] };
  }
}
