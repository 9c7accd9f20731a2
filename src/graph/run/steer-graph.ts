import type {
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
  newGraphAnswerProblem,
  interruptId,
  isJsonObject,
  livePath,
  makeInterrupt,
  membersOf,
  MESSAGE,
  openInterrupts,
  PROPOSED,
} from '../../core/index.js';
import { pauseDraft } from '../../engine/index.js';
import { gateDraft } from './questions.js';
import type { GraphLoop, Steps, ActionChosen, GraphSteering } from './graph-loop.js';
import { judgeMessage } from './judge-message.js';
import type { GraphStep } from './next-graph-step.js';
import type { Phase, Point } from './steer-point.js';
import { pointOf, wantedAt } from './steer-point.js';

/** How a run continues after a safe point. */
export type Steered = 'go-on' | 'again' | 'cancel';

/**
 * Applies messages before and after a node as if they answered a gate at that point, one at a
 * time, until one determines where the run continues.
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
  // While somebody is asked nothing is looked for but what changes the question.
  if (point.isOpen && !(await inbox.waiting()).some(wants)) return 'go-on';
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

function settledEvent(id: string, why?: string): SessionEvent {
  const outcome = why === undefined ? { type: 'applied' as const } : { type: 'refused' as const, why };
  return { type: 'inbox-settled', id, outcome };
}

/**
 * Returns the resolution that a message requests if no model interprets it: its action, or else its text as
 * instructions for the node.
 */
function explicit({ action, text }: InboxMessage, phase: Phase): Resolution {
  if (action === undefined) return { action: 'rerun', guidance: text };
  return action.action === 'rerun' && action.guidance === undefined && phase === 'before'
    ? { action: 'rerun', guidance: text }
    : action;
}

/**
 * Returns the events for the gate that a message answers, with the answer. An impossible request is refused
 * and has no other effect.
 */
function effectsOf(
  loop: GraphLoop,
  point: Point,
  message: InboxMessage,
  resolution: Resolution,
): readonly SessionEvent[] {
  const { id, from, text } = message;
  if (resolution.action === 'pause')
    return [loop.raised(pauseDraft({ from, reason: text })), settledEvent(id)];
  const open = point.isOpen ? point.current.open : undefined;
  if (open?.approvers !== undefined)
    return [settledEvent(id, 'only the required approvers can decide the open gate')];
  // A change of the state answers an open gate only so far that the gate asks again, about what is there then.
  if (open !== undefined) {
    const why = newGraphAnswerProblem(loop.frame(), open, resolution);
    return why === undefined
      ? [loop.resolved(open, from, resolution), settledEvent(id)]
      : [settledEvent(id, why)];
  }
  // Answered by the message itself: what it may not do by itself is proposed to those whom the open names.
  const { approvers: _people, ...draft } = gateAt(loop, point, { [MESSAGE]: text });
  const why = problemWith(loop, draft, resolution);
  if (why !== undefined) return [settledEvent(id, why)];
  const fate = judgeMessage(loop, point.current, resolution);
  if (fate.type === 'refuse') return [settledEvent(id, fate.why)];
  if (fate.type === 'ask') return proposed(loop, point, { message, resolution, why: fate.why });
  const raised = loop.raised(draft);
  return [raised, loop.resolved(raised.interrupt, from, resolution), settledEvent(id)];
}

/** Applies a model's interpretation of a message, or asks about it first (N-5). */
function chosenEffects(
  loop: GraphLoop,
  point: Point,
  message: InboxMessage,
  { choice }: ActionChosen,
): readonly SessionEvent[] {
  if (choice.type === 'action' && !choice.confirm) {
    return effectsOf(loop, point, message, withGuidance(choice.resolution, message, point.phase));
  }
  if (choice.type === 'action') {
    const { resolution, reason: why } = choice;
    const fate = judgeMessage(loop, point.current, resolution);
    if (fate.type === 'refuse') return [settledEvent(message.id, fate.why)];
    return proposed(loop, point, { message, resolution, why });
  }
  const prompt = choice.type === 'question' ? choice.question : 'How should this message be handled?';
  const why = choice.type === 'pause' ? choice.why : choice.reason;
  const about = { prompt, [MESSAGE]: message.text, from: actorName(message.from), why };
  return [loop.raised(gateAt(loop, point, about)), settledEvent(message.id)];
}

interface Proposal {
  readonly message: InboxMessage;
  readonly resolution: Resolution;
  readonly why: string;
}

/** Creates a gate that asks a person whether to apply the action that a message requests. */
function proposed(
  loop: GraphLoop,
  point: Point,
  { message: { id, from, text }, resolution, why }: Proposal,
): readonly SessionEvent[] {
  const about: Record<string, JsonValue> = {
    prompt: `Apply this action: ${resolution.action}? (\`continue\` applies it, \`reject\` does not)`,
    [MESSAGE]: text,
    from: actorName(from),
    why,
  };
  if (isJsonObject(resolution)) about[PROPOSED] = resolution;
  return [loop.raised(gateAt(loop, point, about)), settledEvent(id)];
}

/** Makes a plain `continue` before a node pass the message's text to the node. */
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
  const payload = membersOf(draft.payload);
  return { ...draft, payload: { ...payload, ...about } };
}

/**
 * Returns the reason that a gate would not accept a resolution; `undefined` if it would. The gate is not
 * actually raised, so no interrupt number is used up.
 */
function problemWith(
  loop: GraphLoop,
  draft: Parameters<GraphLoop['raised']>[0],
  resolution: Resolution,
): string | undefined {
  const unasked = { id: interruptId('i0'), path: loop.place.path, raisedAt: '' };
  const gate = makeInterrupt(draft, unasked);
  if (!gate.allowed.includes(resolution.action))
    return `\`${resolution.action}\` is not available here; allowed: ${gate.allowed.join(', ')}`;
  return newGraphAnswerProblem(loop.frame(), gate, resolution);
}

function situationOf(
  loop: GraphLoop,
  point: Point,
  message: InboxMessage,
  safePoint: SafePoint,
): Parameters<NonNullable<NonNullable<GraphLoop['options']['steering']>['reason']>>[0] {
  const draft = gateAt(loop, point, {});
  const frame = loop.frame();
  const state: RunState = loop.state;
  return {
    message,
    point: safePoint,
    offered: [...(draft.allowed ?? []), 'pause'],
    open: openInterrupts(state),
    state: frame.state,
    path: livePath(frame).map(activationId),
    nodes: Object.keys(loop.graph.nodes),
    problemWith: (resolution) =>
      resolution.action === 'pause' ? undefined : problemWith(loop, draft, resolution),
  };
}
