import type { Answer, Call, Interrupt, RunState, SealedAnswer, SecretVault, ToolSet } from '../core/index.js';
import {
  deepFreeze,
  describeInterrupt,
  editHolds,
  HitlError,
  memberAt,
  openInterrupt,
  requestIn,
  requestJson,
  ROOT_PATH,
  sealAnswer,
  SECRET,
  stateAt,
  withMemberAt,
} from '../core/index.js';
import { secretSchemas } from './check-resume.js';
import type { RoundScene, SceneOptions } from './prepare-call.js';
import { approvalOf, checked, roundScene } from './prepare-call.js';
import { Stop } from './stop.js';

/** The things that an answer is looked at with before it is kept. */
interface Sealing {
  readonly tools: ToolSet;
  readonly vault: SecretVault;
  /** The run that the answer is for: a gate that looks at an edit is told of it. */
  readonly run: SceneOptions;
}

/**
 * The answer as it may be kept, with what an edit of it would do: the values of its secrets go into the vault, and
 * nowhere else. The one way from an answer to the event of it.
 */
export async function sealed(
  answer: Answer,
  state: RunState,
  { tools, vault, run }: Sealing,
  signal: AbortSignal,
): Promise<SealedAnswer> {
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined)
    throw new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${answer.id}\` waits for an answer`);
  const schemas = secretSchemas(interrupt, tools);
  sealAnswer(answer, schemas, vault); // what the tool says of the edit repeats nothing
  const scene = roundScene((stateAt(state, interrupt.path) ?? state).view, run);
  return sealAnswer(await boundEdit(answer, interrupt, { tools, vault, scene }, signal), schemas, vault);
}

/**
 * An answer that edits the input, with what the edited call would do now: it holds for that and for nothing else. One
 * whose plan has to be seen first stays as it is, and is asked about again before anything runs.
 */
async function boundEdit(
  answer: Answer,
  interrupt: Interrupt | undefined,
  { tools, vault, scene }: Omit<Sealing, 'run'> & { readonly scene: RoundScene },
  signal: AbortSignal,
): Promise<Answer> {
  const { resolution, by } = answer;
  if (resolution.action !== 'restart' || resolution.input === undefined) return answer;
  if (interrupt?.source.type !== 'tool') return answer;
  const { shown: _claimed, input: typed, ...rest } = resolution;
  const tool = tools.get(interrupt.source.name);
  const parsed = tool === undefined ? undefined : await checked(() => tool.parseInput(typed));
  if (tool === undefined || parsed?.ok !== true) return answer;
  using stop = Stop.following(signal);
  const about = { ...scene, ref: interrupt.source.ref };
  const wanted = vault.mask(await approvalOf(tool, deepFreeze(parsed.value), about, stop));
  const request = wanted === undefined ? undefined : requestJson(wanted);
  const seen = interrupt.source.raisedBy === 'approval' ? requestIn(interrupt.payload) : {};
  if (request !== undefined && !editHolds(by, seen, request))
    return { ...answer, resolution: { ...rest, input: typed } };
  const shown = { input: parsed.value, ...(request !== undefined && { request }) };
  return { ...answer, resolution: { ...rest, input: typed, shown } };
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
