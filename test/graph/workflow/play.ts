import type { Resolution, RunState, SessionEvent } from '../../../src/core/index.js';
import { emptyState, fold, openInterrupts } from '../../../src/core/index.js';
import type { Graph } from '../../../src/graph/index.js';
import type { GraphDrive } from '../drive-graph.js';
import { decide, Died, driveGraph } from '../drive-graph.js';

/** An answer: a resolution, or the output of `respond`. */
export type Reply = Resolution | { readonly say: unknown };

/** Runs a workflow from its start, giving answers in the order of the asking, until it rests without one. */
export async function play(flow: Graph, replies: readonly Reply[] = [], options: GraphDrive = {}) {
  return goOn(emptyState(), flow, replies, options);
}

/** Goes on from a state with more answers. */
export async function goOn(
  from: RunState,
  flow: Graph,
  replies: readonly Reply[] = [],
  options: GraphDrive = {},
) {
  const events: SessionEvent[] = [];
  let { state, outcome, events: told } = await driveGraph(from, flow, options);
  events.push(...told);
  for (const reply of replies) {
    ({ state, outcome, events: told } = await driveGraph(decide(state, resolutionOf(reply)), flow, options));
    events.push(...told);
  }
  return { state, outcome, events, output: state.graph?.state[flow.name] };
}

export function resolutionOf(reply: Reply): Resolution {
  return 'say' in reply ? { action: 'respond', output: reply.say as never } : reply;
}

/** What is open, by what asks: `healthy#2`, or the tool. */
export function asking(state: RunState): readonly string[] {
  return openInterrupts(state).map(({ source, path }) => {
    const where = path === '' ? '' : `${path} › `;
    if (source.type === 'node') return `${where}${source.operation ?? source.nodeId}`;
    return source.type === 'tool' ? `${where}${source.name}` : `${where}run`;
  });
}

/** The operations of the journal: `op-started deploy#1`. */
export function operationsOf(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'op-started' || event.type === 'op-settled' || event.type === 'op-failed'
      ? [`${event.type.slice(3)} ${event.key}`]
      : [],
  );
}

/** Runs with a death after so many events; gives what was kept, or what came of it where it did not die. */
export async function playUntil(from: RunState, flow: Graph, dieAfter: number, options: GraphDrive = {}) {
  try {
    const { state } = await driveGraph(from, flow, { ...options, dieAfter });
    return { state, died: false };
  } catch (thrown) {
    if (thrown instanceof Died) return { state: thrown.state, died: true };
    throw thrown;
  }
}

export { fold };
