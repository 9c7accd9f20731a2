import type { Answer, Call, RunState, SealedAnswer, SecretVault } from '../core/index.js';
import {
  describeInterrupt,
  HitlError,
  openInterrupt,
  ROOT_PATH,
  sealAnswer,
  SECRET,
  stateAt,
  memberAt,
  withMemberAt,
} from '../core/index.js';
import type { Sealing } from './bound-edit.js';
import { boundEdit } from './bound-edit.js';
import { roundScene } from './call-scene.js';
import { secretSchemas } from './secret-schemas.js';

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
