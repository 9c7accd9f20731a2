import type { Call, RunState, ToolOutcome } from '../core/index.js';
import { isFresh } from './next-step.js';
import type { PreparedCall } from './prepare-call.js';

/** The number of calls of one reply that run. */
const MOST_CALLS = 50;

/** The calls that may run, and those of one reply that are too many: these are answered, and never start. */
export interface Admission {
  readonly admitted: readonly Call[];
  readonly excess: readonly PreparedCall[];
}

/**
 * Decides which of a reply's calls run, by their place in it alone: the same after a crash. What began before, or was
 * answered for, is not taken back.
 */
export function admit(calls: readonly Call[], { open }: RunState): Admission {
  const all = open?.calls ?? [];
  if (all.length <= MOST_CALLS) return { admitted: calls, excess: [] };
  const beyond = new Set(all.slice(MOST_CALLS).map(({ request }) => request.ref));
  const isExcess = (call: Call): boolean => beyond.has(call.request.ref) && isFresh(call);
  const outcome = tooMany(all.length);
  return {
    admitted: calls.filter((call) => !isExcess(call)),
    excess: calls.filter(isExcess).map((call) => ({ type: 'settle', call, outcome })),
  };
}

function tooMany(count: number): ToolOutcome {
  const message = `not started: the reply asks for ${count} calls, and at most ${MOST_CALLS} of one reply run; ask for it again in another reply`;
  return { type: 'error', code: 'not-run', message };
}
