import { knownEffect } from '../data/interrupt.js';
import { AppendList } from '../data/sequence.js';
import type { Activation, GraphFrame } from './state.js';
import type { AskRecord } from './frame.js';
import { activationId, GraphFrameOf } from './frame.js';
import type { GraphEvent } from './event.js';
import { GraphState } from './graph-state.js';
import { backTo, livePath } from './live-path.js';
import { cutFrom, withoutLastEnds, evolveOperation } from './evolve-operation.js';
import { gateProblem, withUsedGate } from './operation-gate.js';
import { givenProblem, withGiven } from './given-value.js';
import { passingOver } from './answer-difference.js';
import { PersistentMap } from './persistent-map.js';
import { isOperationGate, operationOf } from './operation.js';
import type { Start } from '../question/terms.js';
import { ageProblems, termsProblems, used } from '../question/terms.js';
import { timeOf } from '../data/duration.js';

type NodeEvent = Extract<GraphEvent, { readonly node: string }>;

/** Creates the frame of a graph run that is starting. */
export function startGraph(event: GraphEvent & { type: 'graph-started' }): GraphFrame {
  const { name, hash, start, seed, maxIterations, before, after, reducers, nodes, outline, gates } = event;
  return new GraphFrameOf({
    name,
    hash,
    start,
    seed,
    maxIterations,
    before,
    after,
    reducers,
    ...(nodes !== undefined && { nodes }),
    ...(gates !== undefined && { gates }),
    ...(outline !== undefined && { outline }),
    values: GraphState.of(event.set),
    conditions: {},
    history: AppendList.of(),
    visits: PersistentMap.of(),
    iterations: 0,
    draws: 0,
    todos: [],
  });
}

/** Returns the frame with a changed definition. Past events stay the same. */
export function migrateGraph(
  frame: GraphFrame,
  event: GraphEvent & { readonly type: 'graph-migrated' },
  illegal: (why: string) => never,
): GraphFrame {
  const { hash, outline, before, after, reducers, gates, nodes, passed } = event;
  const { current } = frame;
  if (current !== undefined && outline.nodes.every(({ name }) => name !== current.node))
    return illegal(`the run is at \`${current.node}\`, which is not in the definition`);
  return frame.with({
    hash,
    outline,
    before,
    after,
    reducers,
    ...(gates !== undefined && { gates }),
    ...(nodes !== undefined && { nodes }),
    ...(passed !== undefined && current !== undefined && { current: passingOver(current, passed) }),
  });
}

/** Returns the frame after a node's event. @throws what `illegal` throws for an invalid event. */
export function evolveNode(frame: GraphFrame, event: NodeEvent, illegal: (why: string) => never): GraphFrame {
  if (event.type === 'node-entered') return enter(frame, event, illegal);
  if (event.type === 'rewound') return rewind(frame, event, illegal);
  const { current } = frame;
  if (current?.node !== event.node || current.visit !== event.visit) {
    return illegal(`\`${activationId(event)}\` is not the current node`);
  }
  switch (event.type) {
    case 'node-started': {
      if (event.attempt !== current.attempts + 1)
        return illegal(`attempt ${event.attempt} after ${current.attempts}`);
      const { attempt, effect, startedAt, code } = event;
      const [lapsed] = lapsedStart(current, { code, at: timeOf(startedAt) });
      if (lapsed !== undefined) return illegal(lapsed);
      const started = {
        phase: 'run',
        status: 'started',
        attempts: attempt,
        effect: knownEffect(effect),
        startedAt,
      } as const;
      return frame.with({ current: { ...withUsedTerms(current, timeOf(startedAt)), ...started } });
    }
    case 'node-settled':
      return settle(frame, current, event);
    case 'node-failed': {
      const { error } = event;
      const failed = { status: 'failed', phase: 'run', error, failures: current.failures + 1 } as const;
      return frame.with({ current: { ...current, ...failed } });
    }
    case 'step-started':
      return frame.with({
        current: evolveOperation({ ...current, asks: current.asks.map(usedNow) }, event, illegal),
      });
    case 'op-started': {
      const { code, startedAt } = event;
      // Older versions kept no time: what they started was in time.
      const at = startedAt === undefined ? Number.NEGATIVE_INFINITY : timeOf(startedAt);
      const why = gateProblem(frame.gates, current, event, { code, at });
      if (why !== undefined) return illegal(why);
      const begun = withUsedGate(
        { ...current, asks: current.asks.map((ask) => usedBy(ask, isBehind(event.key, ask) ? 0 : at)) },
        event.key,
      );
      return frame.with({ current: evolveOperation(begun, event, illegal) });
    }
    case 'step-settled':
    case 'op-settled':
    case 'op-failed':
      return frame.with({ current: evolveOperation(current, event, illegal) });
    case 'edge-failed':
    case 'conflict-found':
      return frame; // told, and nothing depends on it
  }
}

function enter(
  frame: GraphFrame,
  { node, visit, edge, drew }: GraphEvent & { type: 'node-entered' },
  illegal: (why: string) => never,
): GraphFrame {
  const { current, next, ...rest } = frame;
  if (current !== undefined && !isOver(current)) return illegal(`\`${activationId(current)}\` is not done`);
  const visits = frame.visits.get(node) ?? 0;
  if (visit !== visits + 1) return illegal(`visit ${visit} of \`${node}\` after ${visits}`);
  const activation: Activation = {
    node,
    visit,
    phase: 'before',
    status: 'entered',
    ...(edge !== undefined && { edge }),
    attempts: 0,
    failures: 0,
    passed: [],
    asks: [],
    operations: PersistentMap.of(),
    guidance: next?.guidance ?? [],
    edits: next?.edits ?? [],
    frames: PersistentMap.of(),
  };
  return new GraphFrameOf({
    ...rest,
    history: current === undefined ? frame.history : frame.history.append(current),
    current: activation,
    visits: frame.visits.set(node, visit),
    iterations: frame.iterations + 1,
    draws: frame.draws + (drew === true ? 1 : 0),
  });
}

function rewind(
  frame: GraphFrame,
  event: GraphEvent & { type: 'rewound' },
  illegal: (why: string) => never,
): GraphFrame {
  const target = livePath(frame).find(({ node, visit }) => node === event.node && visit === event.visit);
  if (target === undefined) return illegal(`\`${activationId(event)}\` is not on the path`);
  const { open: _open, cancelled: _cancelled, ...rest } = frame;
  if (event.operation !== undefined) return atOperation(new GraphFrameOf(rest), event, illegal);
  if (event.given !== undefined) return illegal('a value can only be given for an operation');
  return backTo(new GraphFrameOf(rest), target, []);
}

/**
 * Continues the latest activation at an operation in its code. The operation and everything after it run
 * again. If a person provided the operation's value, only the operations after it run again.
 */
function atOperation(
  frame: GraphFrame,
  { operation: key = '', given }: GraphEvent & { type: 'rewound' },
  illegal: (why: string) => never,
): GraphFrame {
  const { current } = frame;
  if (current?.operations.get(key) === undefined)
    return illegal(`\`${key}\` is not an operation of the node that ran last`);
  const why = given && givenProblem(current, key, given.output);
  if (why !== undefined) return illegal(why);
  const {
    output: _output,
    error: _error,
    failedBy: _by,
    open: _open,
    undo,
    patch: _patch,
    ...rest
  } = current;
  const again: Activation = {
    ...rest,
    phase: 'run',
    status: 'started',
    failures: 0,
    passed: current.passed.filter((phase) => phase === 'before'),
  };
  return frame.with({
    ...(undo !== undefined && { values: frame.values.undo([undo]) }),
    current: given === undefined ? cutFrom(again, key) : withGiven(again, key, given.output),
  });
}

function settle(
  frame: GraphFrame,
  current: Activation,
  { output, changes, patch }: GraphEvent & { type: 'node-settled' },
): GraphFrame {
  const { state, undo } = frame.values.apply(changes);
  const { output: _output, error: _error, ...rest } = current;
  const settled: Activation = {
    ...rest,
    status: 'done',
    phase: 'after',
    failures: 0,
    ...(output !== undefined && { output: { value: output } }),
    patch: patch ?? changes,
    undo,
  };
  return frame.with({ values: state, current: settled });
}

/** Lists the reasons that a node's approval does not cover a start; empty if it does. */
export function lapsedStart({ node, agreed }: Activation, start: Start): readonly string[] {
  const terms = agreed?.before;
  return terms === undefined ? [] : termsProblems(terms, start, { what: node, done: 'approved' });
}

/** Marks the gate's approval, and the answers given in time, as used when the node starts. */
function withUsedTerms(current: Activation, at: number): Activation {
  const { agreed, asks } = current;
  return {
    ...current,
    ...(agreed?.before?.age !== undefined && { agreed: { ...agreed, before: used(agreed.before) } }),
    asks: asks.map((ask) => usedBy(ask, at)),
  };
}

/** Marks an answer as used unless it had expired at the given time. A used answer stays valid. */
export function usedBy(ask: AskRecord, at: number): AskRecord {
  const { answer, interrupt } = ask;
  if (isOperationGate(interrupt) || answer?.terms?.age === undefined) return ask;
  if (ageProblems(answer.terms.age, at).length > 0) return ask;
  return { ...ask, answer: { ...answer, terms: used(answer.terms) } };
}

/**
 * Whether an operation is at the level of a question or at an enclosing level. If so, the code had used the
 * answer when it started the operation.
 */
function isBehind(key: string, { interrupt }: AskRecord): boolean {
  const levelOf = (one: string): string => one.slice(0, one.lastIndexOf('/') + 1);
  return levelOf(operationOf(interrupt) ?? '').startsWith(levelOf(key));
}

function usedNow(ask: AskRecord): AskRecord {
  return ask.answer === undefined ? ask : { ...ask, used: true };
}

/**
 * Removes the answers of a failed node so that its questions are asked again. With the same answers, the node
 * would always fail. Answers already used by a step are kept.
 */
export function askingAnew(activation: Activation): Activation {
  const again = withoutLastEnds(activation);
  return { ...again, asks: again.asks.filter((ask) => ask.used === true || ask.begun !== undefined) };
}

/** Continues a stopped run: a failed node runs again, and a cancellation is cleared. */
export function goOnWithGraph(frame: GraphFrame): GraphFrame {
  const { cancelled: _cancelled, ...members } = frame;
  const rest = new GraphFrameOf(members);
  if (rest.current?.status !== 'failed') return rest;
  const { error: _error, failedBy: _failedBy, ...current } = rest.current;
  // What was sent meanwhile may mend what it failed on: it is taken first.
  return rest.with({ current: askingAnew({ ...current, phase: 'before', status: 'entered', failures: 0 }) });
}

/** Whether an activation has ended, so that another node may be entered. */
function isOver({ phase, status }: Activation): boolean {
  return phase === 'route' || phase === 'after' || status === 'failed';
}
