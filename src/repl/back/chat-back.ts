import type { StoredEvent } from '../../core/index.js';
import { emptyState, evolve } from '../../core/index.js';
import type { ToolEffect } from './tool-effects.js';
import { effectsOf } from './tool-effects.js';

/** A way back inside of a chat, as it is known before anybody takes it. */
export interface ChatBack {
  /** The messages that stay. */
  readonly keep: number;
  /** The things that tools did since the last of them: they stay done, and their calls may be made again. */
  readonly effects: readonly ToolEffect[];
}

/**
 * Finds where a chat goes back to by a record. A reply whose calls were not all done at that record goes with them, so
 * that what was done before the record, too, may be done again.
 */
export function chatBack(events: readonly StoredEvent[], to: number): ChatBack {
  let state = emptyState();
  let whole = 0;
  for (const { seq, event } of events) {
    if (seq > to) break;
    state = evolve(state, event);
    if (state.open === undefined) whole = seq;
  }
  return { keep: state.entries.length, effects: effectsOf(events.filter(({ seq }) => seq > whole)) };
}
