import type { RunState } from '../state.js';

/** Whoever answers wants the run to go on, also after it was stopped or failed. A limit stands until it is extended. */
export function goingOn(state: RunState): RunState {
  return state.ended?.type === 'limit' ? state : withoutEnd(state);
}

/** A run that was stopped, failed or reached a limit is to go on; one that is done stays so. */
export function withoutEnd(state: RunState): RunState {
  return state.ended === undefined ? state : { ...state, ended: undefined };
}
