import type { Activation, GraphFrame, GraphState, InterruptDraft, JsonObject } from '../../core/index.js';
import {
  activationId,
  livePath,
  millisecondsOf,
  nodePath,
  timeOf,
  recordOf,
  withoutSecrets,
  HitlError,
} from '../../core/index.js';
import type { EngineEvent } from '../../engine/index.js';
import { Arrivals, Stop, TimeLimitError, watchBody } from '../../engine/index.js';
import type { NodeBody, NodeContext, NodeDefinition, HumanNode } from '../definition/graph-definition.js';
import type { BodyArrival, BodyOptions } from './body-context.js';
import { BodyRecord, contextOf } from './body-context.js';
import type { GraphLoop, NodeRest, Steps } from './graph-loop.js';
import { asResult } from './settle-node.js';

/** A node's body to run, with its activation. */
export interface BodyRun {
  readonly current: Activation;
  readonly node: NodeDefinition;
  readonly body: NodeBody;
}

/**
 * Runs a body until it ends or asks. An interrupted body stays marked as started, because its progress is
 * unknown.
 */
export async function* runBodyNode(loop: GraphLoop, what: BodyRun, signal: AbortSignal): NodeRest {
  const end = yield* bodyEnd(loop, what, signal);
  if (end.type === 'asked') {
    if (end.caught) loop.options.notice?.(caughtBy(loop.pathOf(what.current)));
    yield* loop.raise(...end.drafts);
  }
  if (end.type === 'returned') yield* settleReturned(loop, what.current, end.value);
  if (end.type === 'threw' && !signal.aborted)
    yield* loop.fail(what.current, recordOf(end.thrown), end.thrown);
  return undefined;
}

/** Stores a body's result. An unreadable result fails the node. */
function* settleReturned(
  loop: GraphLoop,
  current: Activation,
  value: unknown,
): ReturnType<GraphLoop['settle']> {
  let result: ReturnType<typeof asResult>;
  try {
    result = asResult(value);
  } catch (thrown) {
    yield* loop.fail(current, recordOf(thrown), thrown);
    return;
  }
  yield* loop.settle(current, result);
}

function caughtBy(path: string): string {
  return `\`${path}\` did not await its own question, which will still be asked: \`await\` it`;
}

/** Returns the last failure of each node on the path to the current one. */
function errorsOf(frame: GraphFrame): NodeContext['errors'] {
  return Object.fromEntries(
    livePath(frame).flatMap(({ node, error }) => (error === undefined ? [] : [[node, error] as const])),
  );
}

/** Emits a body's progress without storing it. */
function* shown(current: Activation, arrived: readonly BodyArrival[]): Generator<EngineEvent, void> {
  const scope = nodePath(activationId(current));
  for (const { emitted: data } of arrived)
    if (data !== undefined) yield { durable: false, event: { type: 'emitted', data, scope } };
}

/**
 * Alternates between the body and the run, so that the body's journal events are stored before it continues.
 */
async function* bodyEnd(
  loop: GraphLoop,
  { current, node, body }: BodyRun,
  signal: AbortSignal,
): Steps<BodyEnd> {
  const arrivals = new Arrivals<BodyArrival | BodyEnd>();
  const stop = Stop.following(signal);
  const path = loop.pathOf(current);
  const { runId, clock } = loop.options.run;
  const options = {
    state: loop.frame().values,
    path,
    vault: loop.vault,
    idempotencyKey: `${runId}:${path}`,
    clock,
    start: { code: loop.options.code, at: timeOf(current.startedAt ?? '') },
    ...(node.kind === 'function' &&
      node.timeout !== undefined && { timeoutMs: millisecondsOf(node.timeout) }),
    errors: () => errorsOf(loop.frame()),
    tell: (arrival: BodyArrival) => {
      arrivals.put(arrival);
    },
  };
  void runBody(body, current, options, stop).then((end) => {
    arrivals.put(end);
  });
  try {
    for (;;) {
      const arrived = await arrivals.take();
      const end = arrived.find((arrival) => 'type' in arrival);
      const told = arrived.filter((arrival) => 'events' in arrival);
      yield* shown(current, told);
      if (end !== undefined) return end; // a body that is given up gets nothing kept any more
      const events = told.flatMap((one) => one.events);
      if (events.length > 0) yield* loop.tell(events);
      for (const { kept } of told) kept();
    }
  } finally {
    stop.release();
    stop.abort(); // a body that does not heed it is not waited for
  }
}

/** Creates the body of a human node. Its output is the answer, with secrets masked. */
export function humanBody({ question }: HumanNode): NodeBody {
  return async (state, context) => {
    const asked = question(state, context);
    return { output: withoutSecrets(await context.ask(asked), asked.schema) };
  };
}

/** How a body ended. */
export type BodyEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  /** `caught`: the body caught its own question and continued; the question is asked anyway. */
  | { readonly type: 'asked'; readonly drafts: readonly InterruptDraft[]; readonly caught: boolean }
  | { readonly type: 'threw'; readonly thrown: unknown };

/**
 * Runs a node's body once from the top, until the body and its steps have ended, or until it is only waiting
 * for people. In the latter case, the body is abandoned where it waits, and none of its code runs until there
 * is an answer, not even `catch` or `finally`. Answers and step results from earlier attempts are returned
 * again. A body that does not stop when told to is abandoned. Never throws.
 */
async function runBody(
  body: NodeBody,
  current: Activation,
  options: BodyOptions,
  around: Stop,
): Promise<BodyEnd> {
  const { timeoutMs, clock, state } = options;
  let giveUp: (end: BodyEnd) => void = () => undefined;
  const givenUp = new Promise<BodyEnd>((resolve) => {
    giveUp = resolve;
  });
  const onOverdue = (): void => {
    giveUp({ type: 'threw', thrown: watch.stop.reason });
  };
  const watch = watchBody({ timeoutMs, clock, onOverdue }, around);
  const record = new BodyRecord();
  const context = contextOf(current, { ...options, record, stop: watch.stop });
  const left = record.left.then((): BodyEnd => ({ type: 'asked', drafts: record.asked, caught: false }));
  const end = await Promise.race([entered(body, state, context, record), givenUp, left]);
  watch.end();
  record.close();
  if (record.asked.length > 0) return { type: 'asked', drafts: record.asked, caught: end.type !== 'asked' };
  if (!(watch.stop.reason instanceof TimeLimitError)) return end;
  return { type: 'threw', thrown: new HitlError('NODE_FAILED', `it took longer than ${timeoutMs ?? 0} ms`) };
}

/** Runs a body and waits for its steps, so that each step it started is fully journaled. */
async function entered(
  body: NodeBody,
  state: GraphState,
  context: NodeContext,
  record: BodyRecord,
): Promise<BodyEnd> {
  let end: BodyEnd;
  try {
    end = { type: 'returned', value: await body(takesNothing(body) ? NO_STATE : state.plain, context) };
  } catch (thrown) {
    end = { type: 'threw', thrown };
  }
  await record.stepsEnded();
  return end;
}

const NO_STATE: JsonObject = Object.freeze({});

/**
 * Whether a body is an arrow function without parameters. For such a body, the whole state does not have to
 * be built. In doubt, the state is built.
 */
function takesNothing(body: NodeBody): boolean {
  return /^(?:async\s*)?\(\s*\)\s*=>/u.test(Function.prototype.toString.call(body));
}
