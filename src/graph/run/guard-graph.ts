import type { Activation, Actor, InterruptDraft, JsonValue } from '../../core/index.js';
import { activationId, asksAgain, isJsonObject, membersOf, messageOf } from '../../core/index.js';
import type { RunOutcome } from '../../engine/index.js';
import { gateDraft } from './questions.js';
import type { GraphLoop, Steps } from './graph-loop.js';
import type { GraphGuard, GuardedNode, GuardVerdict } from './graph-guard.js';
import type { GraphStep } from './next-graph-step.js';

interface Point {
  readonly current: Activation;
  readonly phase: 'before' | 'after';
  /** The node that the run is about to enter along an edge. */
  readonly to?: string;
}

/**
 * Consults every guard about the next step. Returns `again` if the state has changed, or an outcome that ends
 * the run.
 */
export async function* guardGraph(
  loop: GraphLoop,
  step: GraphStep,
  signal: AbortSignal,
): Steps<'go-on' | 'again' | RunOutcome> {
  const { guards = [] } = loop.options;
  const point = guards.length === 0 ? undefined : pointOf(loop, step);
  if (point === undefined) return 'go-on';
  for (const guard of guards) {
    const verdict = await judge(loop, guard, point, signal);
    if (signal.aborted) return 'again'; // the run ends before anything else
    if (verdict === undefined) continue;
    if ('interrupt' in verdict) {
      if (isAgreed(loop, guard, point)) continue;
      yield* loop.raise(question(loop, guard, point, verdict.interrupt));
      return 'again';
    }
    if ('skip' in verdict && canSkip(loop, point)) {
      yield* leaveOut(loop, guard, point, verdict.output);
      return 'again';
    }
    const why = 'block' in verdict ? verdict.block : 'a question cannot be skipped';
    const message = `guard \`${guard.name}\` blocks \`${activationId(point.current)}\`: ${why}`;
    return yield* loop.end({ type: 'failed', error: { code: 'NODE_FAILED', message } });
  }
  return 'go-on';
}

/** Returns the node that is about to start or end, or the edge that is about to be taken. */
function pointOf(loop: GraphLoop, step: GraphStep): Point | undefined {
  const { current } = loop.state.graph ?? {};
  if (current === undefined) return undefined;
  if (step.type === 'run') return current.phase === 'before' ? { current, phase: 'before' } : undefined;
  if (step.type === 'finish') return { current, phase: 'after' };
  if (step.type !== 'enter' || step.by === undefined) return undefined;
  return { current, phase: 'after', to: step.node };
}

async function judge(
  loop: GraphLoop,
  guard: GraphGuard,
  point: Point,
  signal: AbortSignal,
): Promise<GuardVerdict> {
  const { current, phase, to } = point;
  const at: GuardedNode = {
    path: loop.pathOf(current),
    node: current.node,
    visit: current.visit,
    kind: loop.node(current).kind,
    state: loop.frame().state,
    ...(current.output !== undefined && { output: current.output.value }),
  };
  try {
    if (phase === 'before') return await guard.beforeNode?.(at, signal);
    const held = current.phase === 'after' ? await guard.afterNode?.(at, signal) : undefined;
    if (held !== undefined || to === undefined) return held;
    return await guard.onEdge?.({ ...at, to }, signal);
  } catch (thrown) {
    return { block: messageOf(thrown) };
  }
}

/**
 * Whether a person has allowed the run to pass this guard. A rejection does not allow it, and neither does an
 * edit after which the guard asks again.
 */
function isAgreed({ state }: GraphLoop, { name }: GraphGuard, { current, phase }: Point): boolean {
  const last = state.resolved.findLast(({ interrupt: { source, payload } }) => {
    const isHere =
      source.type === 'node' &&
      source.nodeId === current.node &&
      source.visit === current.visit &&
      source.phase === phase;
    return isHere && isJsonObject(payload) && payload['guard'] === name;
  });
  return last !== undefined && last.resolution.action !== 'reject' && !asksAgain(last.resolution);
}

function question(
  loop: GraphLoop,
  { name }: GraphGuard,
  { current, phase }: Point,
  prompt: string,
): InterruptDraft {
  const draft = gateDraft(loop.frame(), current, loop.node(current), phase);
  const payload = membersOf(draft.payload);
  const asked: InterruptDraft = { ...draft, payload: { ...payload, prompt, guard: name } };
  // Of a node that was left out there is nothing to edit and nothing to take back.
  return current.phase === 'route' ? { ...asked, allowed: ['continue', 'go-back', 'goto', 'cancel'] } : asked;
}

function canSkip(loop: GraphLoop, { current, phase }: Point): boolean {
  return phase === 'before' && loop.node(current).kind !== 'human';
}

/**
 * Skips a node at a guard's request. If the guard provides an output, the node is marked as done; otherwise
 * it is marked as skipped, as if a person had skipped it at a gate.
 */
function* leaveOut(
  loop: GraphLoop,
  guard: GraphGuard,
  point: Point,
  output: JsonValue | undefined,
): ReturnType<GraphLoop['tell']> {
  if (output !== undefined) {
    yield* loop.settle(point.current, { output });
    return;
  }
  const { approvers: _people, ...draft } = question(loop, guard, point, 'skip this node');
  const raised = loop.raised(draft);
  const by: Actor = { type: 'rule', rule: `guard ${guard.name}` };
  yield* loop.tell([raised, loop.resolved(raised.interrupt, by, { action: 'skip' })]);
}
