import type {
  Answer,
  CallFacts,
  EditPreview,
  Interrupt,
  JsonValue,
  Resolution,
  RunState,
  ShownEdit,
  SecretSchemas,
  Tool,
  ToolSet,
  Call,
  SealedAnswer,
  SecretVault,
} from '../core/index.js';
import {
  aboutEdited,
  answerProblem,
  describeInterrupt,
  factsShown,
  isJsonObject,
  jsonEquals,
  maskProblem,
  openInterrupt,
  openInterrupts,
  shapeProblem,
  deepFreeze,
  editHolds,
  HitlError,
  memberAt,
  requestIn,
  requestJson,
  ROOT_PATH,
  sealAnswer,
  SECRET,
  stateAt,
  withMemberAt,
} from '../core/index.js';
import type { RoundScene, SceneOptions } from './prepare-call.js';
import { approvalOf, checked, roundScene, titleOf, workable } from './prepare-call.js';
import { Stop } from './stop.js';

/** The kinds of problems with answers. */
export type ResumeProblemKind =
  | 'malformed'
  | 'unknown'
  | 'stale'
  | 'duplicate'
  | 'changed'
  | 'not-allowed'
  | 'not-eligible'
  | 'tool-missing'
  | 'bad-input'
  | 'bad-metadata'
  | 'bad-output'
  | 'missing';

/** A problem with an answer. */
export interface ResumeProblem {
  readonly kind: ResumeProblemKind;
  /** Id of the interrupt that the answer is for. */
  readonly interrupt: string;
  readonly message: string;
}

/** The options of `checkResume`. */
export interface CheckResumeOptions {
  /**
   * Whether every open interrupt must be answered. Default: true. A session turns this off, because it
   * accepts answers one at a time.
   */
  readonly complete?: boolean;
  /**
   * Whether the answers come from one of the session's own channels. If so, they may be from a reviewer. By
   * default, they are treated as coming from outside.
   */
  readonly isInside?: boolean;
}

/**
 * Returns all problems with a set of answers, before anything runs. Problems are invalid, unknown, stale,
 * duplicate or missing answers, changed inputs, actions that are not allowed, missing tools and invalid
 * values. Empty if there are none.
 */
export async function checkResume(
  state: RunState,
  answers: readonly Answer[],
  tools: ToolSet,
  options: CheckResumeOptions = {},
): Promise<readonly ResumeProblem[]> {
  const seen = new Set<string>();
  const problems: ResumeProblem[] = [];
  for (const answer of answers) {
    const wrong = shapeProblem(answer, options.isInside);
    if (wrong !== undefined) {
      problems.push(problem('malformed', idIn(answer), `invalid answer: ${wrong}`));
      continue;
    }
    const interrupt = openInterrupt(state, answer.id);
    if (interrupt !== undefined && seen.has(answer.id)) {
      const what = describeInterrupt(interrupt);
      problems.push(problem('duplicate', answer.id, `${what} has two answers; pass only one`));
    } else {
      const found = await problemWith(state, answer, interrupt, tools);
      if (found !== undefined) problems.push(found);
    }
    seen.add(answer.id);
  }
  if (options.complete === false) return problems;
  for (const interrupt of openInterrupts(state)) {
    if (!seen.has(interrupt.id))
      problems.push(problem('missing', interrupt.id, `${describeInterrupt(interrupt)} is not answered`));
  }
  return problems;
}

/** Returns the id in an answer. An answer comes from another program, so it may have any form. */
function idIn(answer: unknown): string {
  return isJsonObject(answer) && typeof answer['id'] === 'string' ? answer['id'] : '';
}

function problem(kind: ResumeProblemKind, interrupt: string, message: string): ResumeProblem {
  return { kind, interrupt, message };
}

/** Validates an answer, and has the tool validate the values in it. */
async function problemWith(
  state: RunState,
  answer: Answer,
  interrupt: Interrupt | undefined,
  tools: ToolSet,
): Promise<ResumeProblem | undefined> {
  const wrong = answerProblem(state, answer);
  if (wrong !== undefined) return problem(wrong.kind, answer.id, wrong.message);
  if (interrupt === undefined) return undefined;
  const masked = maskProblem(answer.resolution, secretSchemas(interrupt, tools));
  if (masked === undefined) return misfit(interrupt, answer, tools);
  return problem('bad-output', answer.id, `invalid answer to ${describeInterrupt(interrupt)}: ${masked}`);
}

async function misfit(
  interrupt: Interrupt,
  { resolution }: Answer,
  tools: ToolSet,
): Promise<ResumeProblem | undefined> {
  const { source } = interrupt;
  if (source.type !== 'tool') return undefined;
  const tool = tools.get(source.name);
  if (resolution.action === 'respond') return checkOutput(interrupt, resolution.output, tool);
  if (resolution.action === 'restart')
    return (
      (await checkRun(interrupt, resolution.input, tool)) ??
      (await checkPassedOn(interrupt, resolution.metadata, tool))
    );
  return resolution.action === 'retry' ? checkRun(interrupt, undefined, tool) : undefined;
}

async function checkRun(
  interrupt: Interrupt,
  input: JsonValue | undefined,
  tool: Tool | undefined,
): Promise<ResumeProblem | undefined> {
  const { id } = interrupt;
  const what = describeInterrupt(interrupt);
  if (tool === undefined) return toolMissing(interrupt);
  if (!tool.restartable)
    return problem('not-allowed', id, `${what} only asks and cannot be restarted; respond to it`);
  if (input === undefined)
    return forbiddenBy(tool, interrupt, shownTo(interrupt), factsShown(interrupt.payload));
  using stop = new Stop();
  const parsed = await workable(tool, input, stop);
  if (parsed.ok) return forbiddenBy(tool, interrupt, parsed.value);
  return problem('bad-input', id, `invalid new input for ${what}: ${parsed.issues.join('; ')}`);
}

function toolMissing(interrupt: Interrupt): ResumeProblem {
  const what = describeInterrupt(interrupt);
  return problem('tool-missing', interrupt.id, `${what} cannot run: its tool is missing`);
}

/**
 * Validates a value for the tool before the question is closed. Later, the tool could only report an invalid
 * value to the model.
 */
async function checkPassedOn(
  interrupt: Interrupt,
  metadata: JsonValue | undefined,
  tool: Tool | undefined,
): Promise<ResumeProblem | undefined> {
  const { id, source } = interrupt;
  if (tool?.parseResumed === undefined || source.type !== 'tool' || source.raisedBy !== 'tool')
    return undefined;
  const passedOn = metadata === undefined ? true : metadata;
  const parsed = await checked(() => tool.parseResumed?.(passedOn) ?? { ok: true, value: passedOn });
  if (parsed.ok) return undefined;
  const what = describeInterrupt(interrupt);
  const issues = parsed.issues.join('; ');
  return problem('bad-metadata', id, `invalid \`metadata\` for ${what}: ${issues}`);
}

function shownTo({ source }: Interrupt): JsonValue {
  return source.type === 'tool' ? source.input : null;
}

/**
 * Returns a problem if a rule denies the call, because then no one can approve the call; otherwise
 * `undefined`.
 */
function forbiddenBy(
  tool: Tool,
  interrupt: Interrupt,
  input: JsonValue,
  facts?: CallFacts,
): ResumeProblem | undefined {
  const why = tool.forbids?.(input, facts);
  const message = `${describeInterrupt(interrupt)} cannot run: ${why ?? ''}`;
  return why === undefined ? undefined : problem('not-allowed', interrupt.id, message);
}

/**
 * Validates the output in an answer. If the tool is present, its output schema applies. If the tool is
 * missing, any output is valid unless the tool must continue with the answer.
 */
async function checkOutput(
  interrupt: Interrupt,
  output: JsonValue,
  tool: Tool | undefined,
): Promise<ResumeProblem | undefined> {
  if (tool === undefined) return interrupt.kept === undefined ? undefined : toolMissing(interrupt);
  const parsed = await checked(() => tool.parseOutput(output));
  if (parsed.ok) return undefined;
  const what = describeInterrupt(interrupt);
  return problem('bad-output', interrupt.id, `invalid answer to ${what}: ${parsed.issues.join('; ')}`);
}

/** Returns the schemas that mark the secrets in an answer: those of the question and of its tool. */
function secretSchemas(interrupt: Interrupt, tools: ToolSet): SecretSchemas {
  const tool = interrupt.source.type === 'tool' ? tools.get(interrupt.source.name) : undefined;
  return { interrupt, input: tool?.inputSchema, resumed: tool?.resumeSchema };
}

/** Everything needed to check an answer before it is stored. */
interface Sealing {
  readonly tools: ToolSet;
  readonly vault: SecretVault;
  /** The run that the answer belongs to. It is passed to the approval check for an edit. */
  readonly run: SceneOptions;
  /**
   * The effect of an edit as it was shown to the user. It is used only if the call would still have that
   * effect.
   */
  readonly seen?: ShownEdit | undefined;
}

/**
 * Returns an answer in the form in which it may be stored. It includes the effect of an edit. Secret values
 * are stored only in the vault.
 */
export async function sealed(
  answer: Answer,
  state: RunState,
  { tools, vault, run, seen }: Sealing,
  signal: AbortSignal,
): Promise<SealedAnswer> {
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined)
    throw new HitlError('INTERRUPT_NOT_FOUND', `no open interrupt \`${answer.id}\``);
  const schemas = secretSchemas(interrupt, tools);
  sealAnswer(answer, schemas, vault); // what the tool says of the edit repeats nothing
  const scene = roundScene((stateAt(state, interrupt.path) ?? state).view, run);
  return sealAnswer(
    await boundEdit(answer, interrupt, { tools, vault, scene, seen }, signal),
    schemas,
    vault,
  );
}

/** Placeholder actor for a preview, which does not have an answer yet. */
const NOBODY = { type: 'person', name: '', via: 'terminal' } as const;

/**
 * Shows what a call would do with a different input, as its question would show it. Secrets in the input are
 * put in the vault and shown as masks.
 */
export async function previewEdit(
  { interrupt, input }: { readonly interrupt: Interrupt; readonly input: JsonValue },
  state: RunState,
  { tools, vault, run }: Omit<Sealing, 'seen'>,
  signal: AbortSignal,
): Promise<EditPreview> {
  const { id, digest, path } = interrupt;
  const typed: Answer = { id, digest, resolution: { action: 'restart', input }, by: NOBODY };
  const answer = withKeptSecrets(typed, state, vault);
  const schemas = secretSchemas(interrupt, tools);
  sealAnswer(answer, schemas, vault);
  const { resolution } = answer;
  if (resolution.action !== 'restart' || resolution.input === undefined) return { ok: false, issues: [] };
  const scene = roundScene((stateAt(state, path) ?? state).view, run);
  const looked = await lookedAt(resolution.input, interrupt, { tools, vault, scene }, signal);
  if (!looked.ok) return { ok: false, issues: looked.issues.map((issue) => vault.maskText(issue)) };
  const { shown = looked.shown, input: masked = input } = restartIn(
    sealAnswer({ ...answer, resolution: { ...resolution, shown: looked.shown } }, schemas, vault),
  );
  return { ok: true, interrupt: aboutEdited(interrupt, masked, shown), shown };
}

function restartIn({ answer: { resolution } }: SealedAnswer): Partial<Resolution & { action: 'restart' }> {
  return resolution.action === 'restart' ? resolution : {};
}

type Looked =
  | { readonly ok: true; readonly shown: ShownEdit }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Determines what a call would do now with a different input. */
async function lookedAt(
  typed: JsonValue,
  interrupt: Interrupt,
  { tools, vault, scene }: Pick<Sealing, 'tools' | 'vault'> & { readonly scene: RoundScene },
  signal: AbortSignal,
): Promise<Looked> {
  const { source } = interrupt;
  const tool = source.type === 'tool' ? tools.get(source.name) : undefined;
  if (source.type !== 'tool' || tool === undefined) return { ok: false, issues: ['the tool is missing'] };
  using stop = Stop.following(signal);
  const parsed = await workable(tool, typed, stop);
  if (!parsed.ok) return parsed;
  const about = { ...scene, ref: source.ref };
  const wanted = vault.mask(await approvalOf(tool, deepFreeze(parsed.value), about, stop));
  const title = await titleOf(tool, parsed.value);
  const shown = {
    input: parsed.value,
    ...(wanted !== undefined && { request: requestJson(wanted) }),
    ...(title !== undefined && { title: vault.maskText(title) }),
  };
  return { ok: true, shown };
}

/**
 * Returns an answer that edits the input, bound to the current effect of the edited call. The approval is
 * valid only for that effect. If the plan must be shown first, the answer is returned unchanged, and hitl
 * asks about the call again before anything runs.
 */
async function boundEdit(
  answer: Answer,
  interrupt: Interrupt | undefined,
  { seen, ...around }: Omit<Sealing, 'run'> & { readonly scene: RoundScene },
  signal: AbortSignal,
): Promise<Answer> {
  const { resolution, by } = answer;
  if (resolution.action !== 'restart' || resolution.input === undefined) return answer;
  if (interrupt?.source.type !== 'tool') return answer;
  const { shown: _claimed, input: typed, ...rest } = resolution;
  const looked = await lookedAt(typed, interrupt, around, signal);
  if (!looked.ok) return answer;
  const { shown } = looked;
  const { request } = shown;
  const before = interrupt.source.raisedBy === 'approval' ? requestIn(interrupt.payload) : {};
  const holds =
    seen === undefined
      ? request === undefined || editHolds(by, before, request)
      : jsonEquals(seen.request ?? null, request ?? null);
  return { ...answer, resolution: { ...rest, input: typed, ...(holds && { shown }) } };
}

/** Restores the secrets in the input of an answer if an edit left their masks unchanged. */
export function withKeptSecrets(answer: Answer, state: RunState, vault: SecretVault): Answer {
  const { resolution } = answer;
  if (resolution.action !== 'restart' || resolution.input === undefined) return answer;
  const typed = callOf(state, answer)?.secrets?.input;
  if (typed === undefined) return answer;
  let { input } = resolution;
  for (const place of typed.at) {
    const kept = memberAt(input, place) === SECRET ? vault.value(typed, place) : undefined;
    if (kept !== undefined) input = withMemberAt(input, place, kept);
  }
  return { ...answer, resolution: { ...resolution, input } };
}

/**
 * Returns an error message if a call cannot run as shown because a secret in its input is no longer
 * available; otherwise `undefined`.
 */
export function lostSecret(answer: Answer, state: RunState, vault: SecretVault): string | undefined {
  const { resolution } = answer;
  if (resolution.action !== 'restart' || resolution.input !== undefined) return undefined;
  const typed = callOf(state, answer)?.secrets?.input;
  if (typed === undefined) return undefined;
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined || vault.missing(typed).length === 0) return undefined;
  return `a secret for ${describeInterrupt(interrupt)} was not saved: edit the input, and type the secret again`;
}

function callOf(state: RunState, { id }: Answer): Call | undefined {
  return callAsking(state, id) ?? callAsking(stateAt(state, openInterrupt(state, id)?.path ?? ROOT_PATH), id);
}

function callAsking(state: RunState | undefined, id: string): Call | undefined {
  for (const call of state?.open?.calls ?? [])
    if (call.state.status === 'interrupted' && call.state.interrupt.id === id) return call;
  return undefined;
}
