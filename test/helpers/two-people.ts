import type { Actor, Resolution, RunState } from '../../src/core/index.js';
import { answerEvents, answerProblem, fold, openInterrupts, plainAnswer } from '../../src/core/index.js';
import { AT } from './events.js';

/** Two people whose word counts where two are needed. */
export const BOB: Actor = { type: 'person', name: 'bob', via: 'library' };
export const CYD: Actor = { type: 'person', name: 'cyd', via: 'library' };

/** The state after a person answered as a door would. */
export function said(state: RunState, by: Actor, resolution: Resolution): RunState {
  const interrupt = openInterrupts(state)[0]!;
  const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by };
  const problem = answerProblem(state, answer);
  if (problem !== undefined) throw new Error(problem.message);
  return fold(answerEvents(plainAnswer(answer, { interrupt }), state, { at: AT }), state);
}

/** The state after both people said the same. */
export function saidByTwo(state: RunState, resolution: Resolution): RunState {
  return said(said(state, BOB, resolution), CYD, resolution);
}
