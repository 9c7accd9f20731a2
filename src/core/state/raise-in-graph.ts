import type { Interrupt } from '../data/interrupt.js';
import { isOperationGate, operationOf } from './operation.js';
import { timeOf } from '../data/duration.js';
import { usedBy } from './evolve-graph.js';
import { isAboutMessage } from './past-question.js';
import type { Activation, GraphFrame } from './state.js';

/** Raises an interrupt of the graph itself: of the run (a limit or a pause) or of the current node. */
export function raiseInGraph(
  graph: GraphFrame,
  interrupt: Interrupt,
  illegal: (why: string) => never,
): GraphFrame {
  const { source } = interrupt;
  if (source.type !== 'node') {
    if (graph.open !== undefined) return illegal(`the run's interrupt \`${graph.open.id}\` is still open`);
    return graph.with({ open: interrupt });
  }
  const { current } = graph;
  if (current?.node !== source.nodeId || current.visit !== source.visit)
    return illegal(`\`${source.nodeId}@${source.visit}\` is not the current node`);
  if (interrupt.kind === 'question' || isOperationGate(interrupt)) {
    const asks = [...askedBefore(current, interrupt), { interrupt }];
    return graph.with({ current: { ...current, status: 'waiting', asks } });
  }
  if (current.open !== undefined) return illegal(`interrupt \`${current.open.id}\` is open`);
  return graph.with({ current: { ...asksFirst(current, interrupt), open: interrupt } });
}

/**
 * Returns the earlier questions, so that a new one can be added to them. Answers that led to the new question
 * are marked as used. If the new question repeats an earlier one, the earlier question is removed along with
 * its answer.
 */
function askedBefore({ asks }: Activation, next: Interrupt): Activation['asks'] {
  const key = operationOf(next);
  const isAgain = ({ interrupt }: Activation['asks'][number]): boolean =>
    key !== undefined &&
    operationOf(interrupt) === key &&
    isOperationGate(interrupt) === isOperationGate(next);
  return asks.filter((ask) => !isAgain(ask)).map((ask) => usedBy(ask, timeOf(next.raisedAt)));
}

/**
 * Reopens the gate before a started body that will run again, because the gate was passed for different code.
 */
function asksFirst(current: Activation, interrupt: Interrupt): Activation {
  const { source } = interrupt;
  const isFirst = interrupt.kind === 'gate' && source.type === 'node' && source.phase === 'before';
  if (!isFirst || isAboutMessage(interrupt) || current.phase !== 'run') return current;
  const passed = current.passed.filter((one) => one !== 'before');
  return { ...current, phase: 'before', status: 'entered', passed };
}
