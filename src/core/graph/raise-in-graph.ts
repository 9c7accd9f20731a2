import type { Interrupt } from '../interrupt.js';
import { isOperationGate } from '../operation/index.js';
import type { GraphFrame } from '../state.js';

/** The graph's own interrupt: of the run (a limit, a pause), or of the node that runs. */
export function raiseInGraph(
  graph: GraphFrame,
  interrupt: Interrupt,
  illegal: (why: string) => never,
): GraphFrame {
  const { source } = interrupt;
  if (source.type !== 'node') {
    if (graph.gate !== undefined) return illegal(`interrupt \`${graph.gate.id}\` of the run is open`);
    return graph.with({ gate: interrupt });
  }
  const { current } = graph;
  if (current?.node !== source.nodeId || current.visit !== source.visit)
    return illegal(`\`${source.nodeId}@${source.visit}\` is not what runs`);
  if (interrupt.kind === 'question' || isOperationGate(interrupt)) {
    return graph.with({ current: { ...current, status: 'waiting', asks: [...current.asks, { interrupt }] } });
  }
  if (current.gate !== undefined) return illegal(`interrupt \`${current.gate.id}\` is open`);
  return graph.with({ current: { ...current, gate: interrupt } });
}
