import type { Interrupt, Resolution, RunState, SessionEvent } from '../../src/core/index.js';
import { activationId, emptyState, evolve, fold, livePath, openInterrupts } from '../../src/core/index.js';
import type { RunOptions, RunOutcome } from '../../src/engine/index.js';
import type { Graph, GraphOptions, GraphStart } from '../../src/graph/index.js';
import { runGraph } from '../../src/graph/index.js';
import { scene } from '../engine/drive.js';
import { ANN, AT } from '../helpers/events.js';

export interface DrivenGraph {
  readonly events: readonly SessionEvent[];
  readonly outcome: RunOutcome;
  readonly state: RunState;
}

export interface GraphDrive extends Omit<GraphOptions, 'run' | 'start'> {
  readonly run?: RunOptions;
  readonly start?: GraphStart;
  readonly signal?: AbortSignal;
  /** Dies after so many events: what comes later is lost. */
  readonly dieAfter?: number;
}

/** A process that died. */
export class Died extends Error {
  readonly state: RunState;
  /** What was kept of its run. */
  readonly events: readonly SessionEvent[];

  constructor(state: RunState, events: readonly SessionEvent[]) {
    super('died');
    this.state = state;
    this.events = events;
  }
}

/** Drives a graph to its next stop, keeping its events as a journal does: through JSON. */
export async function driveGraph(
  from: RunState,
  graph: Graph,
  {
    run = scene(),
    start = {},
    signal = new AbortController().signal,
    dieAfter = Infinity,
    ...more
  }: GraphDrive = {},
): Promise<DrivenGraph> {
  const events: SessionEvent[] = [];
  let state = from;
  const steps = runGraph(from, graph, { ...more, run, start }, signal);
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return { events, outcome: step.value, state };
      if (!step.value.durable) continue;
      const saved = structuredClone(step.value.events).slice(0, dieAfter - events.length);
      state = fold(saved, state);
      events.push(...saved);
      if (saved.length < step.value.events.length) throw new Died(state, events);
    }
  } catch (thrown) {
    await steps.throw(thrown).catch(() => undefined);
    throw thrown;
  }
}

/** A new run of a graph to its first stop. */
export function startGraph(graph: Graph, options: GraphDrive = {}): Promise<DrivenGraph> {
  return driveGraph(emptyState(), graph, options);
}

/** The state after an answer to an open interrupt: the first, or the one that `pick` names. */
export function decide(
  state: RunState,
  resolution: Resolution,
  pick: (interrupt: Interrupt) => boolean = () => true,
): RunState {
  const interrupt = openInterrupts(state).find(pick);
  if (interrupt === undefined) throw new Error('nothing is open');
  const { id, digest, path } = interrupt;
  return evolve(state, {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution,
    by: ANN,
    resolvedAt: AT,
    ...(path !== '' && { scope: path }),
  });
}

/** `a@1 b@1`: the live path. */
export function pathOf({ graph }: RunState): string {
  return graph === undefined ? '' : livePath(graph).map(activationId).join(' ');
}

/** What is open, as `kind node phase`. */
export function openOf(state: RunState): readonly string[] {
  return openInterrupts(state).map(({ kind, source, path }) => {
    const where = path === '' ? '' : `${path}/`;
    if (source.type === 'node') return `${kind} ${where}${source.nodeId}@${source.visit} ${source.phase}`;
    return source.type === 'tool' ? `${kind} ${where}${source.name}` : `${kind} ${where}run`;
  });
}
