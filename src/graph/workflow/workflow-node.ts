import type { Activation, InterruptDraft, JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, openInterrupts, recordOf } from '../../core/index.js';
import type { WorkflowNode } from '../definition/graph-definition.js';
import type { GraphLoop, NodeRest, Steps } from '../run/graph-loop.js';
import { giveUp, pass } from '../run/inner-chats.js';
import type { CodeArrival, CodeEnd } from './code-run.js';
import { CodeRun, unmetGates } from './code-run.js';
import { KeyScope } from './journaled.js';
import type { Difference, LeftOut } from './difference.js';
import { sidesOf } from './difference.js';
import { JournaledOperations } from './journaled-operations.js';

/** Runs a workflow's code from the top until it ends or is only waiting for people or time. */
export async function* runWorkflow(loop: GraphLoop, node: WorkflowNode, signal: AbortSignal): NodeRest {
  const end = yield* untilOpen(loop, node, signal);
  switch (end.type) {
    case 'returned':
      tellUnmet(loop);
      yield* loop.settle(loop.current(), { output: end.value });
      return undefined;
    case 'threw':
      yield* loop.fail(loop.current(), recordOf(end.thrown), end.thrown);
      return undefined;
    case 'differs':
      yield* loop.raise(differenceDraft(loop.current(), end.difference));
      return undefined;
    case 'refused':
      throw end.error;
    case 'cancelled':
      return yield* loop.end({ type: 'aborted' });
    case 'rests':
      if (signal.aborted) return undefined;
      return { type: 'interrupted', interrupts: openInterrupts(loop.state), state: loop.state };
  }
}

/** Reports gates that did not match any operation. */
function tellUnmet(loop: GraphLoop): void {
  for (const name of unmetGates(loop.frame(), loop.current()))
    loop.options.notice?.(`no operation is named \`${name}\`, so its gate did not stop the run`);
}

/**
 * Runs the code until it ends, or stops with something open (O6 of `code-run.ts`). If nothing is open because
 * the code's waits were withdrawn, runs the code again from the top. @throws HitlError INTERNAL if running
 * the code did not change anything
 */
async function* untilOpen(loop: GraphLoop, node: WorkflowNode, signal: AbortSignal): Steps<CodeEnd> {
  for (;;) {
    const before = loop.state;
    const end = yield* codeEnd(loop, { current: loop.current(), node }, signal);
    if (end.type !== 'rests' || signal.aborted || openInterrupts(loop.state).length > 0) return end;
    if (loop.state === before)
      throw new HitlError('INTERNAL', `\`${loop.current().node}\` is waiting, but no question is open`);
  }
}

/**
 * Alternates between the code and the run, so that an operation's journal events are stored before the code
 * continues.
 */
async function* codeEnd(
  loop: GraphLoop,
  { current, node }: { readonly current: Activation; readonly node: WorkflowNode },
  signal: AbortSignal,
): Steps<CodeEnd> {
  const run = new CodeRun(loop, current, signal);
  const operations = new JournaledOperations(run, KeyScope.top(run.stop, current.checkpoint?.counts));
  const input = inputOf(current, loop.frame().state);
  void entered(run, () => node.code(operations, input));
  let arrived: readonly CodeArrival[] = [];
  try {
    for (;;) {
      arrived = await run.arrivals.take();
      const news = arrived.filter((arrival) => arrival.type !== 'left');
      yield* pass(loop, news);
      const withdrawn = run.withdrawn();
      if (withdrawn.length > 0) yield* loop.tell(withdrawn);
      goOn(news);
      const left = arrived.find((arrival) => arrival.type === 'left');
      if (left !== undefined) return left.end;
    }
  } finally {
    run.close();
    giveUp(arrived.filter((arrival) => arrival.type !== 'left'));
  }
}

function goOn(arrived: readonly CodeArrival[]): void {
  for (const arrival of arrived) if (arrival.type === 'told') arrival.settle('go-on');
}

/** Runs the code and waits for everything that the code started, so that all of it is fully journaled. */
async function entered(run: CodeRun, code: () => Promise<unknown>): Promise<void> {
  let end: CodeEnd;
  try {
    end = { type: 'returned', value: await code() };
  } catch (thrown) {
    end = { type: 'threw', thrown };
  }
  await run.idle();
  if (run.stop.aborted) return;
  const difference = run.leftOut;
  if (difference !== undefined) run.leave({ type: 'differs', difference });
  else run.leave(run.isWaiting ? { type: 'rests' } : end);
}

/**
 * Returns the workflow's input: input from a person, or else the `input` key of the state, or else the whole
 * state.
 */
export function inputOf({ input }: Activation, state: JsonObject): JsonValue {
  return input?.value ?? state['input'] ?? state;
}

function leftWords({ key, instead }: LeftOut): string {
  const end = instead === undefined ? 'it ends first' : `it would start \`${instead.key}\` instead`;
  return `the code does not reach \`${key}\`, which is in the journal: ${end}`;
}

/** Creates the question asked when the code differs from the journal. */
function differenceDraft(current: Activation, difference: Difference): InterruptDraft {
  const { key } = difference;
  const source = {
    type: 'node',
    nodeId: current.node,
    visit: current.visit,
    phase: 'run',
    operation: key,
  } as const;
  const sides = { operation: key, ...sidesOf(difference) };
  if ('left' in difference)
    return {
      kind: 'error',
      source,
      payload: {
        code: 'NONDETERMINISM',
        message: leftWords(difference),
        ...sides,
        left: difference.left,
      },
      allowed: ['retry', 'continue', 'cancel'],
    };
  const { kind, digest } = difference.now;
  return {
    kind: 'error',
    source,
    payload: {
      code: 'NONDETERMINISM',
      message: `the code no longer matches the journal at \`${key}\``,
      ...sides,
      as: { kind, digest },
    },
    allowed: ['retry', 'continue', 'respond', 'cancel'],
  };
}
