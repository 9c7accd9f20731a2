import type { RunState } from './state.js';

/** Whoever answers wants the run to go on, also after it was stopped or failed. A limit stands until it is extended. */
export function goingOn(state: RunState): RunState {
  const { ended, ...rest } = state;
  return ended?.type === 'limit' ? state : rest;
}

/** A run that was stopped, failed or reached a limit is to go on; one that is done stays so. */
export function withoutEnd(state: RunState): RunState {
  const { ended: _ended, ...rest } = state;
  return rest;
}
