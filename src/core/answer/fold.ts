import { evolve } from './evolve.js';
import type { SessionEvent } from '../state/event.js';
import type { RunState } from '../state/state.js';
import { emptyState } from '../state/state.js';

/** The state after all events, in time linear in their number. */
export function fold(events: Iterable<SessionEvent>, from: RunState = emptyState()): RunState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
