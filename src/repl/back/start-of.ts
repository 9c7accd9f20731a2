import type { GatePoints, StoredEvent } from '../../core/index.js';
import type { GraphStart } from '../../graph/index.js';

/** Gives what the workflow of a session began with, for another run of it; `undefined` where none has begun. */
export function startOf(events: readonly Pick<StoredEvent, 'event'>[]): GraphStart | undefined {
  let start: GraphStart | undefined;
  for (const { event } of events) {
    if (event.scope !== undefined) continue;
    if (event.type === 'graph-started') {
      const { set, seed, maxIterations } = event;
      start = { set, seed, maxIterations, ...gatesOf(event) };
    } else if (event.type === 'graph-migrated') start = { ...start, ...gatesOf(event) };
  }
  return start;
}

interface Gated {
  readonly before: GatePoints;
  readonly after: GatePoints;
  readonly gates?: GatePoints;
}

/** The gates before nodes and those before operations of code are named alike where a run begins. */
function gatesOf({ before, after, gates = [] }: Gated): Pick<GraphStart, 'before' | 'after'> {
  return { before: before === '*' || gates === '*' ? '*' : [...before, ...gates], after };
}
