import type {
  Activation,
  InboxMessage,
  JsonValue,
  Resolution,
  RunState,
  SafePoint,
  SessionEvent,
} from '../../core/index.js';
import {
  activationId,
  actorName,
  evolve,
  graphAnswerProblem,
  isJsonObject,
  isoTime,
  livePath,
  openInterrupts,
  PROPOSED,
} from '../../core/index.js';
import { pauseDraft } from '../../engine/index.js';
import { gateDraft } from '../gates/index.js';
import type { GraphLoop, Steps } from './graph-loop.js';
import type { GraphStep } from './next-graph-step.js';
import type { ActionChosen, GraphSteering } from './steering.js';

/** How a run goes on behind a safe point. */
export type Steered = 'go-on' | 'again' | 'cancel';

type Phase = 'before' | 'after';

interface Point {
  readonly phase: Phase;
  readonly current: Activation;
}

/**
 * Before and after a node what others sent takes effect, as an answer of theirs to a gate there: a message
 * that leaves the run on its course, then the next one, until one says where to go.
 */
export async function* steerGraph(loop: GraphLoop, step: GraphStep, signal: AbortSignal): Steps<Steered> {
  const { steering } = loop.options;
  const point = pointOf(loop, step);
  if (steering === undefined || point === undefined) return 'go-on';
  try {
    return yield* steerAt(loop, point, steering, signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    return 'again'; // the run ends before anything else
  }
}

async function* steerAt(
  loop: GraphLoop,
  point: Point,
  steering: GraphSteering,
  signal: AbortSignal,
): Steps<Steered> {
  const { inbox, notice, reason } = steering;
  const safePoint: SafePoint = { phase: point.phase, path: loop.pathOf(point.current) };
  const wants = wantedAt(loop, point);
  const taken = await inbox.take(safePoint, signal, { wants, isLast: () => true });
  const [message] = taken.messages;
  try {
    for (const text of taken.notices) notice?.(text);
    if (taken.events.length === 0) return 'go-on';
    const { control } = taken;
    if (control !== undefined) {
      const settled = settledEvent(control.id);
      const paused = control.verb === 'pause' ? [loop.raised(pauseDraft(control))] : [];
      yield* loop.tell([...taken.events, ...paused, settled]);
      return control.verb === 'cancel' ? 'cancel' : 'again';
    }
    if (message === undefined || message.action !== undefined || reason === undefined) {
      const effects =
        message === undefined ? [] : effectsOf(loop, point, message, explicit(message, point.phase));
      yield* loop.tell([...taken.events, ...effects]);
      return 'again';
    }
    yield* loop.tell(taken.events);
  } finally {
    taken.release(); // a model that thinks keeps nobody from sending
  }
  const chosen = await reason(situationOf(loop, point, message, safePoint), signal);
  yield* loop.tell([chosen, ...chosenEffects(loop, point, message, chosen)]);
  return 'again';
}

/**
 * What a message asks for may be possible only before a node, or only after it: it waits for that. Words alone are about
 * what comes next, unless they name a node.
 */
function wantedAt(loop: GraphLoop, { phase, current }: Point): (message: InboxMessage) => boolean {
  const { allowed = [] } = gateDraft(loop.frame(), current, loop.node(current), phase);
  const offered = new Set<string>([...allowed, 'pause']);
  return ({ action, target }) =>
    action === undefined ? phase === 'before' || target !== undefined : offered.has(action.action);
}

/** A node that is about to begin, or one that is about to be left. */
function pointOf(loop: GraphLoop, step: GraphStep): Point | undefined {
  const { current } = loop.state.graph ?? {};
  if (current === undefined) return undefined;
  if (step.type === 'run') return current.phase === 'before' ? { phase: 'before', current } : undefined;
  const leaves = step.type === 'enter' || step.type === 'finish';
  return leaves && current.phase === 'after' ? { phase: 'after', current } : undefined;
}

function settledEvent(id: string, why?: string): SessionEvent {
  const outcome = why === undefined ? { type: 'applied' as const } : { type: 'refused' as const, why };
  return { type: 'inbox-settled', id, outcome };
}

/** What a message asks for where nobody reads it: its action, else its words are guidance for the node. */
function explicit({ action, text }: InboxMessage, phase: Phase): Resolution {
  if (action === undefined) return { action: 'rerun', guidance: text };
  return action.action === 'rerun' && action.guidance === undefined && phase === 'before'
    ? { action: 'rerun', guidance: text }
    : action;
}

/** The gate that a message answers, and the answer; a message that cannot be is refused, and nothing else happens. */
function effectsOf(
  loop: GraphLoop,
  point: Point,
  { id, from, text }: InboxMessage,
  resolution: Resolution,
): readonly SessionEvent[] {
  if (resolution.action === 'pause')
    return [loop.raised(pauseDraft({ from, reason: text })), settledEvent(id)];
  const raised = loop.raised(gateAt(loop, point, { message: text }));
  const why = problemWith(loop, raised, resolution);
  if (why !== undefined) return [settledEvent(id, why)];
  const { interrupt } = raised;
  const answered: SessionEvent = {
    type: 'interrupt-resolved',
    id: interrupt.id,
    digest: interrupt.digest,
    resolution,
    by: from,
    resolvedAt: isoTime(loop.options.run.clock.now()),
  };
  return [raised, answered, settledEvent(id)];
}

/** What a model made of a message: done, or asked about first (N-5). */
function chosenEffects(
  loop: GraphLoop,
  point: Point,
  message: InboxMessage,
  { choice }: ActionChosen,
): readonly SessionEvent[] {
  if (choice.type === 'action' && !choice.confirm) {
    return effectsOf(loop, point, message, withGuidance(choice.resolution, message, point.phase));
  }
  const from = actorName(message.from);
  const why = choice.type === 'pause' ? choice.why : choice.reason;
  const proposed = choice.type === 'action' ? choice.resolution : undefined;
  const prompt =
    choice.type === 'question'
      ? choice.question
      : proposed === undefined
        ? 'What is to be done about this message?'
        : `Do this? \`continue\` does it, \`reject\` does not: ${proposed.action}`;
  const payload: Record<string, JsonValue> = { prompt, message: message.text, from, why };
  if (isJsonObject(proposed)) payload[PROPOSED] = proposed;
  return [loop.raised(gateAt(loop, point, payload)), settledEvent(message.id)];
}

/** A plain `continue` before a node passes the words on to it. */
function withGuidance(resolution: Resolution, message: InboxMessage, phase: Phase): Resolution {
  return resolution.action === 'continue' && phase === 'before'
    ? { action: 'rerun', guidance: message.text }
    : resolution;
}

function gateAt(
  loop: GraphLoop,
  { phase, current }: Point,
  about: Readonly<Record<string, JsonValue>>,
): Parameters<GraphLoop['raised']>[0] {
  const draft = gateDraft(loop.frame(), current, loop.node(current), phase);
  const payload = isJsonObject(draft.payload) ? draft.payload : {};
  return { ...draft, payload: { ...payload, ...about } };
}

function problemWith(
  loop: GraphLoop,
  raised: SessionEvent & { type: 'interrupt-raised' },
  resolution: Resolution,
): string | undefined {
  const { interrupt } = raised;
  if (!interrupt.allowed.includes(resolution.action))
    return `\`${resolution.action}\` cannot be done here; it takes: ${interrupt.allowed.join(', ')}`;
  const { graph } = evolve(loop.state, raised);
  return graph === undefined ? undefined : graphAnswerProblem(graph, interrupt, resolution);
}

function situationOf(
  loop: GraphLoop,
  point: Point,
  message: InboxMessage,
  safePoint: SafePoint,
): Parameters<NonNullable<NonNullable<GraphLoop['options']['steering']>['reason']>>[0] {
  const raised = loop.raised(gateAt(loop, point, {}));
  const frame = loop.frame();
  const state: RunState = loop.state;
  return {
    message,
    point: safePoint,
    offered: [...raised.interrupt.allowed, 'pause'],
    open: openInterrupts(state),
    state: frame.state,
    path: livePath(frame).map(activationId),
    nodes: Object.keys(loop.graph.nodes),
    problemWith: (resolution) =>
      resolution.action === 'pause' ? undefined : problemWith(loop, raised, resolution),
  };
}
