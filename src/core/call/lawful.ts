import type { SessionEvent } from '../event.js';
import type { Interrupt } from '../interrupt.js';
import { jsonEquals } from '../json/index.js';
import { planDigest } from '../plan/index.js';
import type { Call } from './call.js';

/** Says why a call may not be started like this; `undefined` where it may: what was shown is what runs (G12). */
export function startProblem(
  call: Call,
  { name, input, plan }: SessionEvent & { type: 'tool-started' },
): string | undefined {
  const { request, approval } = call;
  if (name !== request.name) return `call \`${request.ref}\` is of \`${request.name}\`, not of \`${name}\``;
  if (approval !== undefined && approval.asTyped !== true && !jsonEquals(approval.input, input))
    return `call \`${request.ref}\` was approved with another input`;
  if (plan === undefined) return undefined;
  if (approval !== undefined && planDigest({ ...approval, name }) === plan) return undefined;
  return `nobody agreed to the plan of call \`${request.ref}\``;
}

/** Says why a question cannot be about this call; `undefined` where it can: it shows the call that would run. */
export function askProblem(
  { request, input, state, secrets, approval }: Call,
  { source }: Interrupt,
): string | undefined {
  if (source.type !== 'tool') return undefined;
  if (source.name !== request.name)
    return `call \`${request.ref}\` is of \`${request.name}\`, not of \`${source.name}\``;
  // The gate shows the input as the tool reads it, and the start is held to that.
  const mayDiffer = state.status === 'ready' && source.raisedBy === 'approval';
  // Where a lost secret is asked for again, what was agreed to is shown: the start is held to that.
  const again = secrets?.resumed === undefined || approval === undefined ? [] : [approval.input];
  const runs = [...(state.status === 'started' ? [state.input] : []), input, ...again];
  if (mayDiffer || runs.some((one) => jsonEquals(one, source.input))) return undefined;
  return `call \`${request.ref}\` would run with another input than is shown`;
}
