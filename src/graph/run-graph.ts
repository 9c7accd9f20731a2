import type { Activation, Actor, GatePoints, GraphFrame, RunState, SessionEvent } from '../core/index.js';
import {
  HitlError,
  isOperationName,
  isoTime,
  isReservedKey,
  lapsedStart,
  messageOf,
  nameOfKey,
  pastDraft,
  present,
  ROOT_PATH,
} from '../core/index.js';
import type { EngineEvent, RunOutcome } from '../engine/index.js';
import { InterruptFactory } from '../engine/index.js';
import { CHECK_GATES, undeclared, unknownGates } from './definition/define-graph.js';
import { acceptance, refusal } from './definition/acceptance.js';
import { bothPoints, migratedEvent } from './definition/migrated-event.js';
import { doubtDraft, errorDraft, gateChanges, gateDraft, limitDraft } from './run/questions.js';
import type { Graph, NodeDefinition } from './definition/graph-definition.js';
import type { GraphOptions, LoopOptions, NodeRest, RunObserver, Steps } from './run/graph-loop.js';
import { GraphLoop } from './run/graph-loop.js';
import type { GraphStep } from './run/next-graph-step.js';
import { gateLapsed, isGoingOn, nextGraphStep, startsAnew } from './run/next-graph-step.js';
import { guardGraph } from './run/guard-graph.js';
import { shorter } from './run/retry.js';
import { steerGraph } from './run/steer-graph.js';
import { runWorkflow } from './workflow/workflow-node.js';
import { humanBody, runBodyNode } from './run/body-node.js';
import { runComposite } from './run/composite-node.js';
import { runInside } from './run/chat-node.js';
import { namesOf } from './definition/inner-nodes.js';
import { schemaProblem } from './definition/node-schema.js';
import { builtinReducers } from './state/reducers.js';

/** The recorded actor when a run switches to a definition that only has additions. */
const ADDITIONS: Actor = {
  type: 'rule',
  rule: 'additions',
  says: 'a definition that only adds to the previous one is accepted',
};

/**
 * Runs a graph from its state to its next stop, as a stream of events. As in a chat, events are written
 * ahead: save each durable event before advancing the generator.
 * @throws HitlError BAD_GRAPH if the session has another graph.
 */
export async function* runGraph(
  state: RunState,
  graph: Graph,
  given: GraphOptions,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, RunOutcome> {
  const options = { code: graph.code, ...given };
  const { clock } = options.run;
  const interrupts = new InterruptFactory(state.interruptCount, () => clock.now());
  const place = { path: ROOT_PATH, interrupts };
  const steps = runAt(state, { graph, options, place }, signal);
  if (options.observers === undefined || options.observers.length === 0) return yield* steps;
  return yield* observed(state, steps, options);
}

/**
 * Adds observers, which can see the run but not change it. Each observer's first error is reported, and the
 * run continues (C-35).
 */
async function* observed(
  state: RunState,
  steps: Steps<RunOutcome>,
  { observers = [], notice }: Pick<GraphOptions, 'observers' | 'notice'>,
): Steps<RunOutcome> {
  const failed = new Set<RunObserver>();
  const show = (event: Parameters<RunObserver>[0]): void => {
    for (const observer of observers) {
      try {
        observer(event);
      } catch (thrown) {
        if (!failed.has(observer)) notice?.(`an observer of the run failed: ${messageOf(thrown)}`);
        failed.add(observer);
      }
    }
  };
  try {
    let step = await steps.next();
    while (step.done !== true) {
      const event = step.value;
      const kept: unknown = yield event;
      for (const one of event.durable ? event.events : [event.event]) show(one);
      step = await steps.next(kept);
    }
    return step.value;
  } finally {
    // Whoever leaves early waits for the run to stop.
    await steps.return({ type: 'ended', reason: { type: 'aborted' }, state });
  }
}

/** Runs a graph, possibly nested. Events are relative to this graph. */
async function* runAt(
  state: RunState,
  what: Pick<LoopOptions, 'graph' | 'options' | 'place'>,
  signal: AbortSignal,
): Steps<RunOutcome> {
  const loop = new GraphLoop(state, { ...what, inner: runAt });
  yield* begin(loop);
  for (;;) {
    const step = nextGraphStep(loop.state, loop.graph, loop.start, loop.failure);
    if (signal.aborted && step.type !== 'done') return yield* loop.halt(signal);
    const steered = yield* steerGraph(loop, step, signal);
    if (steered === 'again') continue;
    if (steered === 'cancel') return yield* loop.end({ type: 'aborted' });
    const guarded = yield* guardGraph(loop, step, signal);
    if (guarded === 'again') continue;
    if (guarded !== 'go-on') return guarded;
    const outcome = yield* take(loop, step, signal);
    if (outcome !== undefined) return outcome;
  }
}

async function* begin(loop: GraphLoop): AsyncGenerator<EngineEvent, void> {
  const { graph: frame, ended } = loop.state;
  if (frame === undefined) {
    await checkInput(loop);
    yield* loop.tell([startEvent(loop)]);
    return;
  }
  yield* sameDefinition(loop, frame);
  if (ended?.type === 'aborted' || ended?.type === 'failed') yield* loop.tell([{ type: 'run-continued' }]);
}

/**
 * Checks that the definition is the one that the run uses, only has additions, or accepts the run's version.
 * @throws HitlError BAD_GRAPH for any other definition
 */
function* sameDefinition(loop: GraphLoop, frame: GraphFrame): Generator<EngineEvent, void> {
  const { graph, options, place } = loop;
  const accepted = acceptance(frame, graph);
  if (accepted.type === 'same') return;
  if (accepted.type === 'refused')
    throw refusal(accepted, { frame, graph, path: place.path, run: options.run });
  yield* loop.tell([migratedEvent(frame, graph, { outline: accepted.outline, by: ADDITIONS })]);
  const added = accepted.changes.map(({ thing }) => thing).join(', ');
  const where = place.path === ROOT_PATH ? '' : ` at ${place.path}`;
  options.notice?.(`additions to \`${graph.name}\`${where} since this run started: ${added}`);
}

function startEvent({ graph, options, place }: GraphLoop): SessionEvent {
  const { name, hash, start, reducers, before, after, maxIterations, outline } = graph;
  const given = options.start ?? {};
  const names = new Set(Object.keys(graph.nodes));
  const hasCode = Object.values(graph.nodes).some(({ kind }) => kind === 'workflow');
  const operations = hasCode ? bothPoints(Object.keys(outline?.gates ?? {}), given.before ?? []) : [];
  const points = hasCode ? withoutOperations(given.before, names) : given.before;
  const unknown = [
    ...unknownGates([points ?? [], given.after ?? []], names),
    ...unknownOperations(given.before, graph),
  ];
  if (unknown.length > 0) throw new HitlError('BAD_GRAPH', unknown.join('; '), { hint: CHECK_GATES });
  const reserved = Object.keys(given.set ?? {}).find((key) => isReservedKey(key));
  if (reserved !== undefined)
    throw new HitlError('BAD_STATE', `a run cannot start with \`${reserved}\`: the key is reserved`);
  return {
    type: 'graph-started',
    name,
    hash,
    start,
    seed: given.seed ?? 1,
    maxIterations: given.maxIterations ?? maxIterations,
    inherit: place.base !== undefined,
    set: given.set ?? {},
    reducers: builtinReducers(reducers),
    before: bothPoints(before, points ?? []),
    after: bothPoints(after, given.after ?? []),
    ...(place.path === ROOT_PATH && { nodes: namesOf(Object.entries(graph.nodes)) }),
    ...(operations.length > 0 && { gates: operations }),
    ...(outline !== undefined && { outline }),
  };
}

/**
 * Checks a workflow's input before the workflow starts. Invalid input prevents the start, because another
 * attempt would not help. @throws HitlError BAD_INPUT
 */
async function checkInput({ graph: { nodes, start }, options, place: { path } }: GraphLoop): Promise<void> {
  const first = nodes[start];
  if (path !== ROOT_PATH || first?.kind !== 'workflow') return;
  const { set = {} } = options.start ?? {};
  await first.takes?.(set['input'] ?? set);
}

/** Waits before the next attempt; the loop handles an abort. */
async function pause(
  { options: { run }, place }: GraphLoop,
  { node: { retry }, current: { node, visit, failures }, waitMs }: GraphStep & { readonly type: 'retry' },
  signal: AbortSignal,
): Promise<void> {
  const ms = shorter(waitMs, retry?.jitter ?? 0, [run.runId, place.path, node, visit, failures]);
  await run.clock.sleep(ms, signal).catch(() => undefined);
}

/**
 * Returns the gates that apply to nodes, for a graph with code. All other valid names refer to operations.
 */
function withoutOperations(points: GatePoints = [], names: ReadonlySet<string>): GatePoints {
  if (points === '*') return points;
  return points.filter((name) => names.has(name) || !isOperationName(nameOfKey(name)));
}

/**
 * If all of the graph's code declares its operations, lists the run's gates that match neither a node nor an
 * operation.
 */
function unknownOperations(points: GatePoints = [], { nodes }: Graph): readonly string[] {
  const codes = Object.values(nodes).filter((node) => node.kind === 'workflow');
  const declared = codes.flatMap(({ operations }) => (operations === undefined ? [] : [operations]));
  if (points === '*' || declared.length === 0 || declared.length < codes.length) return [];
  return undeclared(
    points.filter((name) => !Object.hasOwn(nodes, name)),
    declared.flat(),
  );
}

async function* take(loop: GraphLoop, step: GraphStep, signal: AbortSignal): NodeRest {
  switch (step.type) {
    case 'enter':
      yield* loop.tell(enterEvents(loop, step));
      return undefined;
    case 'raise-gate':
      yield* loop.raise(
        gateChanges(
          gateDraft(loop.frame(), step.current, loop.node(step.current), step.phase),
          loop.state,
          loop.frame(),
          gateLapsed(step.current, step.phase, loop.start),
        ),
      );
      return undefined;
    case 'raise-doubt':
      yield* loop.raise(doubtDraft(step.current, step.step));
      return undefined;
    case 'raise-error':
      yield* loop.raise(errorDraft(step.current));
      return undefined;
    case 'raise-limit':
      yield* loop.raise(limitDraft(loop.frame().maxIterations, step.used));
      return undefined;
    case 'raise-past':
      yield* loop.raise(pastDraft(loop.frame()));
      return undefined;
    case 'run':
      return yield* runNode(loop, step, signal);
    case 'retry':
      await pause(loop, step, signal);
      return signal.aborted ? undefined : yield* runNode(loop, step, signal);
    case 'settle':
      yield* loop.settle(step.current, { output: step.output });
      return undefined;
    case 'await-human':
      return { type: 'interrupted', interrupts: step.interrupts, state: loop.state };
    case 'cancel':
      return yield* loop.end({ type: 'aborted' });
    case 'finish':
      return yield* loop.end({ type: 'done' });
    case 'fail': {
      const { type: _type, ...error } = step;
      return yield* loop.end({ type: 'failed', error });
    }
    case 'done':
      return { type: 'ended', reason: loop.state.ended ?? { type: 'done' }, state: loop.state };
  }
}

function enterEvents(
  loop: GraphLoop,
  { node, visit, by }: GraphStep & { type: 'enter' },
): readonly SessionEvent[] {
  const { current: from } = loop.frame();
  const entered: SessionEvent = {
    type: 'node-entered',
    node,
    visit,
    ...(by !== undefined && { edge: by.edge }),
    ...(by?.drew === true && { drew: true }),
  };
  if (by === undefined || from === undefined) return [entered];
  return [
    ...by.troubles.map((trouble): SessionEvent => ({
      type: 'edge-failed',
      node: from.node,
      visit: from.visit,
      ...trouble,
    })),
    entered,
  ];
}

function inputProblem(
  loop: GraphLoop,
  { node, input }: Activation,
  definition: NodeDefinition,
): string | undefined {
  const { inputSchema } = definition;
  if (inputSchema === undefined) return undefined;
  const why = schemaProblem(inputSchema, input === undefined ? loop.frame().state : input.value);
  return why === undefined ? undefined : `the input of \`${node}\` is invalid: ${why}`;
}

/** Runs a node and journals its start, unless an inner run continues. */
async function* runNode(
  loop: GraphLoop,
  { current: before, node }: { readonly current: Activation; readonly node: NodeDefinition },
  signal: AbortSignal,
): NodeRest {
  if (startsAnew(before, node)) {
    const { code, at } = loop.start;
    if (lapsedStart(before, { code, at }).length > 0) return undefined; // asked about again
    yield* loop.tell([
      {
        type: 'node-started',
        node: before.node,
        visit: before.visit,
        attempt: before.attempts + 1,
        effect: node.kind === 'function' ? (node.effect ?? 'once') : 'none',
        startedAt: isoTime(at),
        ...present({ code }),
      },
    ]);
  }
  const current = loop.current();
  const misfit = isGoingOn(before, node) ? undefined : inputProblem(loop, current, node);
  if (misfit !== undefined) {
    yield* loop.fail(current, { code: 'BAD_STATE', message: misfit });
    return undefined;
  }
  switch (node.kind) {
    case 'function':
      return yield* runBodyNode(loop, { current, node, body: node.run }, signal);
    case 'human':
      return yield* runBodyNode(loop, { current, node, body: humanBody(node) }, signal);
    case 'agent':
    case 'tool':
      return yield* runInside(loop, { current, node }, signal);
    case 'workflow':
      return yield* runWorkflow(loop, node, signal);
    case 'choose':
    case 'group':
    case 'map':
    case 'subgraph':
      return yield* runComposite(loop, { current, node }, signal);
  }
}
