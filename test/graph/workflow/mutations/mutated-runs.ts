// Runs a sample up to a place of its journal, and goes on with the code of an edit.
import type { RunState } from '../../../../src/core/index.js';
import { emptyState, openInterrupts, operationOf } from '../../../../src/core/index.js';
import type { Graph, WorkflowContext } from '../../../../src/graph/index.js';
import { workflow } from '../../../../src/graph/index.js';
import { decide, Died, driveGraph } from '../../drive-graph.js';
import type { Line, Recorded } from './sample-programs.js';
import { valueOf } from './sample-programs.js';

/** How often each effect happened, by key. */
export type Effects = Map<string, number>;

export function flowOf(lines: readonly Line[], effects: Effects): Graph {
  return workflow('flow', (ctx) => sequence(lines, ctx, effects));
}

async function sequence(lines: readonly Line[], ctx: WorkflowContext, effects: Effects): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const line of lines) results.push(await run(line, ctx, effects));
  return results;
}

async function run(line: Line, ctx: WorkflowContext, effects: Effects): Promise<unknown> {
  switch (line.do) {
    case 'step':
      return ctx.step(
        line.name,
        ({ key }) => {
          effects.set(key, (effects.get(key) ?? 0) + 1);
          if (line.fails === true) throw new Error(`${line.name} failed`);
          return valueOf(line.of);
        },
        { effect: 'once', of: line.of },
      );
    case 'ask':
      return ctx.ask(line.name, { prompt: line.of });
    case 'loop': {
      const rounds: unknown[] = [];
      for (let round = 0; round < line.times; round += 1)
        rounds.push(await sequence(line.body, ctx, effects));
      return rounds;
    }
    case 'attempt':
      try {
        return await sequence(line.body, ctx, effects);
      } catch {
        return ['rolled back', await sequence(line.rollback, ctx, effects)];
      }
    case 'all': {
      const bodies = Object.entries(line.branches).map(
        ([name, body]) => [name, (inner: WorkflowContext) => sequence(body, inner, effects)] as const,
      );
      return ctx.all(line.name, Object.fromEntries(bodies), {
        ...(line.limit !== undefined && { limit: line.limit }),
      });
    }
  }
}

/** A place of a journal: the state there, and what had happened by then. */
export interface Place {
  readonly state: RunState;
  readonly effects: Effects;
}

/** Every place of the journal of a whole run, at which a process may have died. */
export async function placesOf(lines: readonly Line[]): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (let dieAfter = 1; ; dieAfter += 1) {
    const effects: Effects = new Map();
    const state = await stateAt(flowOf(lines, effects), dieAfter);
    if (state.graph?.current?.status === 'done' || state.ended !== undefined) return places;
    if (!isInBatch(state)) places.push({ state, effects });
  }
}

/** The state after so many events of a run, an answer to each question among them. */
async function stateAt(flow: Graph, dieAfter: number): Promise<RunState> {
  let state = emptyState();
  try {
    for (let left = dieAfter; left > 0 && state.ended === undefined; left -= 1) {
      const driven = await driveGraph(state, flow, { dieAfter: left });
      left -= driven.events.length;
      state = left > 0 && driven.state.ended === undefined ? answeredIn(driven.state) : driven.state;
    }
    return state;
  } catch (thrown) {
    if (thrown instanceof Died) return thrown.state;
    throw thrown;
  }
}

/** Whether a question was begun and not put: both are written at once. */
function isInBatch({ graph }: RunState): boolean {
  const current = graph?.current;
  const asked = new Set(current?.asks.map(({ interrupt }) => operationOf(interrupt)));
  return (current?.operations.entries() ?? []).some(([key, { kind }]) => kind === 'ask' && !asked.has(key));
}

/** The state after the answer to the first question. */
function answeredIn(state: RunState): RunState {
  return decide(state, { action: 'respond', output: 'yes' }, ({ kind }) => kind === 'question');
}

/** What came of a journal with other code: it was told, or it came to its end. */
export interface Went {
  readonly end: 'told' | 'done';
  readonly state: RunState;
  readonly effects: Effects;
}

/** Goes on with other code, with an answer to whatever it asks, until a person is told of a difference or it ends. */
export async function goesOn({ state: from, effects: before }: Place, lines: readonly Line[]): Promise<Went> {
  const effects = new Map(before);
  const flow = flowOf(lines, effects);
  let state = from;
  for (let rests = 0; rests < 60; rests += 1) {
    if (isTold(state)) return { end: 'told', state, effects };
    if (state.ended !== undefined) return { end: 'done', state, effects };
    for (const one of openInterrupts(state)) {
      // What was in doubt had happened: the journal did not know.
      const output = one.kind === 'in-doubt' ? 'done' : 'yes';
      state = decide(state, { action: 'respond', output }, ({ id }) => id === one.id);
    }
    ({ state } = await driveGraph(state, flow));
  }
  throw new Error('it does not end');
}

function isTold(state: RunState): boolean {
  return openInterrupts(state).some(({ kind }) => kind === 'error');
}

/** The journal of a state, as a reference sees it. What has not come to its end does when it is asked about. */
export function journalOf({ graph }: RunState): ReadonlyMap<string, Recorded> {
  const records = graph?.current?.operations.entries() ?? [];
  return new Map(
    records.map(([key, { kind = '', status, title = '' }]) => [
      key,
      { about: `${kind} ${title}`, failed: status === 'failed' },
    ]),
  );
}
