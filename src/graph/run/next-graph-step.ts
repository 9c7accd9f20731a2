import type {
  Activation,
  GraphFrame,
  Interrupt,
  JsonValue,
  RunState,
  Start,
  ThrownRecord,
} from '../../core/index.js';
import {
  isInDoubt,
  lapsedStart,
  mayRepeat,
  openInterrupts,
  present,
  stateDigest,
  termsProblems,
  thrownFrom,
} from '../../core/index.js';
import { evaluateCondition } from '../expression/expression-eval.js';
import type { FunctionNode, Graph, HumanNode, NodeDefinition } from '../definition/graph-definition.js';
import { isPoint } from './asks-people.js';
import type { LiveFailure } from './graph-loop.js';
import { mayMend, pauseMs } from './retry.js';
import type { Route } from './route.js';
import { metaOf, route } from './route.js';

/** The next step in a graph run. */
export type GraphStep =
  | {
      readonly type: 'enter';
      readonly node: string;
      readonly visit: number;
      readonly by?: Route & { type: 'edge' };
    }
  | { readonly type: 'raise-gate'; readonly current: Activation; readonly phase: 'before' | 'after' }
  | { readonly type: 'raise-doubt'; readonly current: Activation; readonly step?: string }
  | { readonly type: 'raise-error'; readonly current: Activation }
  | { readonly type: 'raise-limit'; readonly used: number }
  /** Asks whether to continue, because the history was written elsewhere or part of it is missing. */
  | { readonly type: 'raise-past' }
  | { readonly type: 'run'; readonly current: Activation; readonly node: NodeDefinition }
  /** A person provided the output, which is not in the state yet. */
  | { readonly type: 'settle'; readonly current: Activation; readonly output: JsonValue }
  | {
      readonly type: 'retry';
      readonly current: Activation;
      readonly node: NodeDefinition;
      readonly waitMs: number;
    }
  | { readonly type: 'await-human'; readonly interrupts: readonly Interrupt[] }
  | { readonly type: 'cancel' }
  | { readonly type: 'finish' }
  | {
      readonly type: 'fail';
      readonly code: 'NODE_FAILED' | 'BAD_GRAPH';
      readonly message: string;
      readonly hint?: string;
      readonly thrown?: ThrownRecord;
    }
  | { readonly type: 'done' };

/**
 * Decides the next step based only on the folded journal, the graph's definition, its code and the time (law
 * 1).
 * @param start the code and time for checking approvals
 * @param seen the last failure in this process, used only for `retry.when`
 */
export function nextGraphStep(state: RunState, graph: Graph, start: Start, seen?: LiveFailure): GraphStep {
  const frame = state.graph;
  if (frame === undefined || state.ended !== undefined) return { type: 'done' };
  if (frame.open !== undefined) return { type: 'await-human', interrupts: openInterrupts(state) };
  if (frame.cancelled !== undefined) return { type: 'cancel' };
  if (frame.unconfirmed !== undefined) return { type: 'raise-past' };
  const { current } = frame;
  if (current === undefined) return enter(frame, frame.next?.node ?? frame.start);
  if (current.open !== undefined) return { type: 'await-human', interrupts: openInterrupts(state) };
  const node = graph.nodes[current.node];
  if (node === undefined) {
    return {
      type: 'fail',
      code: 'BAD_GRAPH',
      message: `the graph does not have a node \`${current.node}\``,
    };
  }
  const doubt = inDoubt(current, node);
  if (doubt !== undefined) return { type: 'raise-doubt', current, step: doubt };
  switch (current.phase) {
    case 'before':
      if (mustAsk('before', frame, current, { graph, node, start }))
        return { type: 'raise-gate', current, phase: 'before' };
      return { type: 'run', current, node };
    case 'run': {
      const step = whileRunning(state, frame, current, { graph, node, start, seen });
      const starts = (step.type === 'run' || step.type === 'retry') && startsAnew(current, node);
      // Nobody agreed that other code runs.
      const isLapsed = starts && lapsedStart(current, start).length > 0;
      return isLapsed ? { type: 'raise-gate', current, phase: 'before' } : step;
    }
    case 'after':
      if (mustAsk('after', frame, current, { graph, node, start }))
        return { type: 'raise-gate', current, phase: 'after' };
      return leave(frame, current, graph);
    case 'route':
      return leave(frame, current, graph);
  }
}

interface Place {
  readonly graph: Graph;
  readonly node: NodeDefinition;
  readonly start: Start;
  readonly seen?: LiveFailure | undefined;
}

function enter(frame: GraphFrame, node: string, by?: Route & { type: 'edge' }): GraphStep {
  if (frame.iterations >= frame.maxIterations) return { type: 'raise-limit', used: frame.iterations };
  const visit = (frame.visits.get(node) ?? 0) + 1;
  return { type: 'enter', node, visit, ...(by !== undefined && { by }) };
}

function mustAsk(
  phase: 'before' | 'after',
  frame: GraphFrame,
  current: Activation,
  { graph, node, start }: Place,
): boolean {
  if (gateLapsed(current, phase, start).length > 0) return true;
  if (current.passed.includes(phase)) {
    const agreed = current.held?.[phase];
    return agreed !== undefined && agreed !== stateDigest(frame.values); // nobody agreed to this state
  }
  if (phase === 'after' && current.rejection !== undefined) return true;
  if (isPoint(frame[phase], current.node)) return true;
  const { gate } = node;
  if (gate?.[phase] !== true) return false;
  const condition = graph.gates.get(current.node);
  if (condition === undefined) return true;
  const scope = { state: frame.values, conditions: frame.conditions, meta: metaOf(frame, current) };
  const result = evaluateCondition(condition, scope);
  return result.ok ? result.value : true; // a gate that cannot be evaluated stays shut
}

/** Returns the reasons that a gate's approval has expired or is void; empty if it is valid. */
export function gateLapsed(current: Activation, phase: 'before' | 'after', start: Start): readonly string[] {
  if (phase === 'before') return lapsedStart(current, start);
  const terms = current.agreed?.after;
  return terms === undefined ? [] : termsProblems(terms, start, { what: current.node, done: 'approved' });
}

/** Whether a node runs from the top each time it continues. Other nodes keep records of their inner runs. */
function isBodyNode(node: NodeDefinition): node is FunctionNode | HumanNode {
  return node.kind === 'function' || node.kind === 'human';
}

/** Whether a node's run was interrupted. */
export function isGoingOn({ status }: Activation, { kind }: NodeDefinition): boolean {
  return status === 'started' || (kind === 'workflow' && status === 'waiting');
}

/** Whether running the node is journaled as a new start. If not, an inner run continues instead. */
export function startsAnew(current: Activation, node: NodeDefinition): boolean {
  return isBodyNode(node) || !isGoingOn(current, node);
}

/**
 * Returns the key of an operation whose outcome is unknown. Each such operation has its own question, even if
 * the node will run from the top again (O2 of `../../core/state/operation.ts`).
 */
function inDoubt({ operations, status }: Activation, node: NodeDefinition): string | undefined {
  if (status === 'failed' || (node.kind !== 'workflow' && !isBodyNode(node))) return undefined;
  return operations.entries().find(([, one]) => isInDoubt(one))?.[0];
}

function whileRunning(state: RunState, frame: GraphFrame, current: Activation, place: Place): GraphStep {
  const { node } = place;
  switch (current.status) {
    case 'started': {
      if (!isBodyNode(node)) return { type: 'run', current, node };
      if (node.kind !== 'function') return { type: 'run', current, node };
      const isOnce = !mayRepeat(current.effect ?? 'none') || !mayRepeat(node.effect ?? 'once');
      if (isOnce) return { type: 'raise-doubt', current };
      return { type: 'run', current, node };
    }
    case 'waiting':
      if (node.kind !== 'workflow' && current.asks.some(({ answer }) => answer === undefined))
        return { type: 'await-human', interrupts: openInterrupts(state) };
      return { type: 'run', current, node };
    case 'answered':
      if (current.output === undefined) return { type: 'run', current, node };
      return { type: 'settle', current, output: current.output.value };
    case 'failed':
      return afterFailure(frame, current, place);
    case 'entered':
    case 'done':
    case 'skipped':
    case 'rejected':
    case 'undone':
      return { type: 'run', current, node };
  }
}

function afterFailure(frame: GraphFrame, current: Activation, { graph, node, seen }: Place): GraphStep {
  const { attempts = 1, ...pauses } = node.retry ?? {};
  const { failures, failedBy } = current;
  const waitMs = pauseMs(pauses, failures, { delayMs: 0, capMs: Number.POSITIVE_INFINITY });
  const failure = thrownBy(current, seen);
  const isOver = failure !== undefined && !mayMend(node.retry?.when, failure.thrown);
  if (failedBy === undefined && failures < attempts && !isOver)
    return { type: 'retry', current, node, waitMs };
  switch (node.onError ?? 'fail') {
    case 'continue':
      return leave(frame, current, graph);
    case 'ask':
      if (failedBy === undefined) return { type: 'raise-error', current };
      break;
    case 'fail':
      break;
  }
  const { message: why = 'no reason given', hint, thrown } = current.error ?? {};
  const message = `node \`${current.node}\` failed: ${why}`;
  return { type: 'fail', code: 'NODE_FAILED', message, ...present({ hint, thrown }) };
}

/** Returns a node's error: the original one if it happened in this process, otherwise the journaled one. */
function thrownBy(
  { node, visit, error }: Activation,
  seen: LiveFailure | undefined,
): { readonly thrown: unknown } | undefined {
  if (seen?.node === node && seen.visit === visit) return { thrown: seen.thrown };
  return error && { thrown: thrownFrom(error) };
}

function leave(frame: GraphFrame, current: Activation, graph: Graph): GraphStep {
  const chosen = route(graph, frame, current);
  const [trouble] = chosen.troubles;
  if (trouble !== undefined && graph.strict) {
    const message = `the condition of ${current.node} → ${trouble.to} cannot be evaluated: ${trouble.message}`;
    return { type: 'fail', code: 'BAD_GRAPH', message };
  }
  if (chosen.type === 'edge') return enter(frame, chosen.to, chosen);
  if (graph.ends.has(current.node)) return { type: 'finish' };
  const looked = chosen.looked.length === 0 ? 'it has none' : chosen.looked.join(', ');
  const message = `no edge from \`${current.node}\` matches (${looked}), and the node is not an end`;
  return { type: 'fail', code: 'NODE_FAILED', message };
}
