import type { JsonObject, RunState, SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { GraphStart } from '../../src/graph/index.js';
import { eventsOf, startOf } from '../../src/repl/index.js';

/** Flags for starting a workflow. */
export interface StartFlags {
  readonly set?: JsonObject;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly maxIterations?: number;
  readonly seed?: number;
}

/** A finished run whose inputs are the defaults for a new run. */
export interface Earlier {
  readonly id: SessionId;
  readonly state: RunState;
  readonly start: GraphStart;
}

/** Reads a finished run. @throws HitlError USAGE if the session did not run a workflow or is not finished. */
export async function earlierRun(store: SessionStore, given: string): Promise<Earlier> {
  const id = await store.resolve(given);
  await using session = await store.open(id, 'read');
  const { state } = session;
  const start = startOf(await eventsOf(session));
  if (start === undefined)
    throw new HitlError('USAGE', `session ${id} has not run a workflow`, { hint: 'hitl run <flow>' });
  if (state.ended === undefined)
    throw new HitlError('USAGE', `session ${id} has not ended`, { hint: `resume it: hitl resume ${id}` });
  return { id, state, start };
}

/** Combines flags and input into the start of a run. Missing values are taken from an earlier run. */
export function startFrom(
  { set = {}, before, after, maxIterations, seed }: StartFlags,
  input: string | undefined,
  earlier: GraphStart | undefined,
): GraphStart {
  if (input !== undefined && Object.hasOwn(set, 'input')) {
    throw new HitlError('USAGE', 'input specified twice', {
      hint: 'pass it as an argument, or with `--set input=…`',
    });
  }
  return {
    ...earlier,
    set: { ...earlier?.set, ...set, ...(input !== undefined && { input }) },
    ...(before !== undefined && { before: points(before) }),
    ...(after !== undefined && { after: points(after) }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(seed !== undefined && { seed }),
  };
}

function points(names: readonly string[]): '*' | readonly string[] {
  return names.includes('*') ? '*' : names;
}
