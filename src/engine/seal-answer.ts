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

/** What an answer is checked with before it is stored. */
interface Sealing {
  readonly tools: ToolSet;
  readonly vault: SecretVault;
  /** The answer's run, for approval checks of an edit. */
  readonly run: SceneOptions;
}

/**
 * Seals an answer for storage, with the effect of its edit: secret values go only into the vault. The only
 * way from an answer to its event.
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
 * Binds an edit to the edited call's current plan. One whose plan must be seen first is unchanged, and asks
 * again before anything runs.
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

/** Restores the secrets that an edit left masked. */
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

/** Explains why a call cannot run as shown: a secret of its input is gone; `undefined` if it can. */
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
