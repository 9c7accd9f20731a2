import type { Activation, GraphFrame } from '../../core/index.js';
import { activationId, livePath, millisecondsOf, nodePath, timeOf } from '../../core/index.js';
import type { EngineEvent } from '../../engine/index.js';
import { Arrivals, Stop } from '../../engine/index.js';
import type { NodeBody, NodeContext, NodeDefinition } from '../graph-definition.js';
import type { BodyArrival, BodyEnd, GraphLoop, NodeRest, Steps } from '../run/index.js';
import { asResult, recordOf, runBody } from '../run/index.js';

/** A run of a node's body in its activation. */
export interface BodyRun {
  readonly current: Activation;
  readonly node: NodeDefinition;
  readonly body: NodeBody;
}

/** Runs a body to its end, or to its questions. What was stopped in the middle stays started: nobody knows how far it came. */
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

/** A result that cannot be read is a failure of the node. */
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
  return `\`${path}\` did not wait for its own question, which is asked all the same: \`await\` it`;
}

/** The last failure of each node on the way here. */
function errorsOf(frame: GraphFrame): NodeContext['errors'] {
  return Object.fromEntries(
    livePath(frame).flatMap(({ node, error }) => (error === undefined ? [] : [[node, error] as const])),
  );
}

/** Shows how far the body came; nothing of it is kept. */
function* shown(current: Activation, arrived: readonly BodyArrival[]): Generator<EngineEvent, void> {
  const scope = nodePath(activationId(current));
  for (const { emitted: data } of arrived)
    if (data !== undefined) yield { durable: false, event: { type: 'emitted', data, scope } };
}

/** The body and the loop take turns: what the body journals is kept before it goes on. */
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
