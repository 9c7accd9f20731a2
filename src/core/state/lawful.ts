import type { SessionEvent } from './event.js';
import type { Interrupt, Subject } from '../data/interrupt.js';
import { jsonEquals } from '../data/json.js';
import { ageProblems, codeProblems } from '../question/terms.js';
import { planDigest } from '../question/plan.js';
import { timeOf } from '../data/duration.js';
import type { Call } from './call.js';
import { codeAgreed } from './call.js';

/**
 * Returns the reason that a call must not start; `undefined` if it may. A call may start only if it exactly
 * matches the call that was shown (G12).
 */
export function startProblem(
  call: Call,
  { name, input, plan, code, startedAt }: SessionEvent & { type: 'tool-started' },
): string | undefined {
  const { request, approval, proposal } = call;
  if (proposal !== undefined && approval === undefined)
    return `the input that ${proposal.by.name} proposed for call \`${request.ref}\` has not been approved`;
  if (name !== request.name) return `call \`${request.ref}\` is for \`${request.name}\`, not \`${name}\``;
  if (approval !== undefined && approval.asTyped !== true && !jsonEquals(approval.input, input))
    return `call \`${request.ref}\` was approved with a different input`;
  const agreed = codeAgreed(call);
  const lapsed = [
    ...(agreed === undefined ? [] : codeProblems(agreed.code, code, { what: name, done: 'approved' })),
    ...ageProblems(approval?.age, timeOf(startedAt)),
  ];
  if (lapsed.length > 0) return `call \`${request.ref}\` needs a new approval: ${lapsed.join('; ')}`;
  // A2 of `../answer/reviewer.ts`: what a reviewer allowed starts only as the plan that it saw.
  if (plan === undefined && call.resolved?.by.type === 'reviewer')
    return `the start of call \`${request.ref}\` does not specify the reviewed plan`;
  if (plan === undefined) return undefined;
  if (approval !== undefined && planDigest({ ...approval, name }) === plan) return undefined;
  return `the plan of call \`${request.ref}\` was not approved`;
}

/**
 * Returns the reason that a question does not apply to a call; `undefined` if it shows the call that would
 * run.
 */
export function askProblem(
  { request, input, state, secrets, approval, proposal }: Call,
  { source, proposed }: Interrupt,
): string | undefined {
  if (source.type !== 'tool') return undefined;
  if (proposal !== undefined && source.raisedBy === 'approval' && !isOf(proposal.by, proposed?.by))
    return `it does not record that ${proposal.by.name} proposed the input of call \`${request.ref}\``;
  if (source.name !== request.name)
    return `call \`${request.ref}\` is for \`${request.name}\`, not \`${source.name}\``;
  // The gate shows the input as the tool reads it, and the start is held to that.
  const mayDiffer = state.status === 'ready' && source.raisedBy === 'approval';
  // Where a lost secret is asked for again, what was agreed to is shown: the start is held to that.
  const again = secrets?.resumed === undefined || approval === undefined ? [] : [approval.input];
  const runs = [...(state.status === 'started' ? [state.input] : []), input, ...again];
  if (mayDiffer || runs.some((one) => jsonEquals(one, source.input))) return undefined;
  return `call \`${request.ref}\` would run with a different input from the one shown`;
}

function isOf(one: Subject, other: Subject | undefined): boolean {
  return one.issuer === other?.issuer && one.subject === other.subject;
}
