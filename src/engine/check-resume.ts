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

/** The kinds of problems of answers. */
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

/** A problem of an answer. */
export interface ResumeProblem {
  readonly kind: ResumeProblemKind;
  /** Id of the interrupt concerned. */
  readonly interrupt: string;
  readonly message: string;
}

/** The options of `checkResume`. */
export interface CheckResumeOptions {
  /** Whether every open interrupt must be answered. Default true; a session accepts answers one by one. */
  readonly complete?: boolean;
  /** The answers come from a channel of the session, and may be its reviewer's. Default: they come from outside. */
  readonly isInside?: boolean;
}

/**
 * Returns all problems with a set of answers before anything runs: invalid, unknown, stale, duplicate or missing
 * answers, changed inputs, wrong actions, missing tools, invalid values. Empty if the answers are valid.
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
      problems.push(problem('duplicate', answer.id, `${what} has two answers; give one`));
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

/** Foreign programs pass answers, which may be anything. */
function idIn(answer: unknown): string {
  return isJsonObject(answer) && typeof answer['id'] === 'string' ? answer['id'] : '';
}

function problem(kind: ResumeProblemKind, interrupt: string, message: string): ResumeProblem {
  return { kind, interrupt, message };
}

/** Validates the answer itself, then lets the tool validate its values. */
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
  return problem(
    'bad-output',
    answer.id,
    `the answer to ${describeInterrupt(interrupt)} does not fit: ${masked}`,
  );
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
  return problem('bad-input', id, `the new input of ${what} does not fit: ${parsed.issues.join('; ')}`);
}

function toolMissing(interrupt: Interrupt): ResumeProblem {
  const what = describeInterrupt(interrupt);
  return problem('tool-missing', interrupt.id, `${what} cannot run: its tool is not there`);
}

/** Validated before the question is used up: a body with an unreadable value could only tell the model. */
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
  return problem('bad-metadata', id, `the \`metadata\` that is passed on to ${what} does not fit: ${issues}`);
}

function shownTo({ source }: Interrupt): JsonValue {
  return source.type === 'tool' ? source.input : null;
}

/** A call denied by a rule cannot be approved by anyone. */
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
 * A missing tool can still be answered for, unless it continues with the answer; if present, its output
 * schema applies.
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
  return problem(
    'bad-output',
    interrupt.id,
    `the answer to ${what} does not fit: ${parsed.issues.join('; ')}`,
  );
}

/** Returns the schemas that mark an answer's secrets: the question's, and its tool's. */
function secretSchemas(interrupt: Interrupt, tools: ToolSet): SecretSchemas {
  const tool = interrupt.source.type === 'tool' ? tools.get(interrupt.source.name) : undefined;
  return { interrupt, input: tool?.inputSchema, resumed: tool?.resumeSchema };
}

/** The things that an answer is looked at with before it is kept. */
interface Sealing {
  readonly tools: ToolSet;
  readonly vault: SecretVault;
  /** The run that the answer is for: a gate that looks at an edit is told of it. */
  readonly run: SceneOptions;
  /** What the person saw of an edit; it counts only if it is what the call would do. */
  readonly seen?: ShownEdit | undefined;
}

/**
 * The answer as it may be kept, with what an edit of it would do: the values of its secrets go into the vault, and
 * nowhere else. The one way from an answer to the event of it.
 */
export async function sealed(
  answer: Answer,
  state: RunState,
  { tools, vault, run, seen }: Sealing,
  signal: AbortSignal,
): Promise<SealedAnswer> {
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined)
    throw new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${answer.id}\` waits for an answer`);
  const schemas = secretSchemas(interrupt, tools);
  sealAnswer(answer, schemas, vault); // what the tool says of the edit repeats nothing
  const scene = roundScene((stateAt(state, interrupt.path) ?? state).view, run);
  return sealAnswer(
    await boundEdit(answer, interrupt, { tools, vault, scene, seen }, signal),
    schemas,
    vault,
  );
}

/** Nobody has answered yet: who would is not asked. */
const NOBODY = { type: 'person', name: '', via: 'terminal' } as const;

/**
 * Shows what a call would do with another input, as it would be asked about. The values of secrets in it go into the
 * vault, and masks are shown.
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

/** Looks at a call with another input, as it would run now. */
async function lookedAt(
  typed: JsonValue,
  interrupt: Interrupt,
  { tools, vault, scene }: Pick<Sealing, 'tools' | 'vault'> & { readonly scene: RoundScene },
  signal: AbortSignal,
): Promise<Looked> {
  const { source } = interrupt;
  const tool = source.type === 'tool' ? tools.get(source.name) : undefined;
  if (source.type !== 'tool' || tool === undefined) return { ok: false, issues: ['the tool is not here'] };
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
 * An answer that edits the input, with what the edited call would do now: it holds for that and for nothing else. One
 * whose plan has to be seen first stays as it is, and is asked about again before anything runs.
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

/** The answer with the secrets that an edit left as they were: a mask stood for each. */
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

/** Says why a call cannot run as it is shown: a secret of its input is not here any more; `undefined` where it can. */
export function lostSecret(answer: Answer, state: RunState, vault: SecretVault): string | undefined {
  const { resolution } = answer;
  if (resolution.action !== 'restart' || resolution.input !== undefined) return undefined;
  const typed = callOf(state, answer)?.secrets?.input;
  if (typed === undefined) return undefined;
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined || vault.missing(typed).length === 0) return undefined;
  return `a secret of ${describeInterrupt(interrupt)} was not kept: edit the input, and type it again`;
}

function callOf(state: RunState, { id }: Answer): Call | undefined {
  return callAsking(state, id) ?? callAsking(stateAt(state, openInterrupt(state, id)?.path ?? ROOT_PATH), id);
}

function callAsking(state: RunState | undefined, id: string): Call | undefined {
  for (const call of state?.open?.calls ?? [])
    if (call.state.status === 'interrupted' && call.state.interrupt.id === id) return call;
  return undefined;
}
