import { evolve } from '../evolve.js';
import type { SessionEvent } from '../event.js';
import type { RunState } from '../state.js';
import { emptyState } from '../state.js';

/** The state after all events, in time linear in their number. */
export function fold(events: Iterable<SessionEvent>, from: RunState = emptyState()): RunState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
