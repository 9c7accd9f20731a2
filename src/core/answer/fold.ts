import { evolve } from './evolve.js';
import type { SessionEvent } from '../state/event.js';
import type { RunState } from '../state/state.js';
import { emptyState } from '../state/state.js';

/** Returns the state after all events, in linear time. */
export function fold(events: Iterable<SessionEvent>, from: RunState = emptyState()): RunState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
