import type { Activation, GraphFrame, InboxMessage } from '../../core/index.js';
import { asksAgain, isAboutMessage } from '../../core/index.js';
import { gateDraft } from './questions.js';
import type { GraphLoop } from './graph-loop.js';
import { judgeMessage } from './judge-message.js';
import type { GraphStep } from './next-graph-step.js';

/** The side of a node: before or after it. */
export type Phase = 'before' | 'after';

/** A point at which messages can steer a run. */
export interface Point {
  readonly phase: Phase;
  readonly current: Activation;
  /**
   * Whether a person is being asked at this point, or the answer has not been applied yet. If so, only state
   * changes are accepted.
   */
  readonly isOpen: boolean;
}

/** Returns the steering point before the next step: a node that is about to start or end, or its question. */
export function pointOf({ state: { graph } }: GraphLoop, step: GraphStep): Point | undefined {
  const current = graph?.current;
  if (graph === undefined || current === undefined) return undefined;
  switch (step.type) {
    case 'run':
      if (current.phase === 'before') return { phase: 'before', current, isOpen: false };
      return current.status === 'waiting' ? { phase: 'before', current, isOpen: true } : undefined;
    case 'enter':
    case 'finish':
      return current.phase === 'after' ? { phase: 'after', current, isOpen: false } : undefined;
    case 'await-human':
      return askedAt(graph, current);
    case 'raise-gate':
    case 'raise-doubt':
    case 'raise-error':
    case 'raise-limit':
    case 'raise-past':
    case 'settle':
    case 'retry':
    case 'cancel':
    case 'fail':
    case 'done':
      return undefined;
  }
}

/**
 * Returns the point of a node's open question or gate. Returns `undefined` for a question about a message,
 * because it must be answered first.
 */
function askedAt(graph: GraphFrame, current: Activation): Point | undefined {
  const { open, phase, status } = current;
  if (graph.open !== undefined) return undefined;
  if (open === undefined)
    return status === 'waiting' ? { phase: 'before', current, isOpen: true } : undefined;
  if (open.kind !== 'gate' || isAboutMessage(open)) return undefined;
  return { phase: phase === 'before' ? 'before' : 'after', current, isOpen: true };
}

/**
 * Selects the messages for a point. If a message's action is only possible before or only after a node, the
 * message waits for that point; if its node does not offer the action at either point, the message is
 * refused. Plain text is for the next node, unless the message specifies one.
 */
export function wantedAt(
  loop: GraphLoop,
  { phase, current, isOpen }: Point,
): (message: InboxMessage) => boolean {
  if (isOpen)
    return ({ action }) =>
      action !== undefined && asksAgain(action) && judgeMessage(loop, current, action).type === 'do';
  const offered = offeredAt(loop, current, phase);
  const later = phase === 'before' ? offeredAt(loop, current, 'after') : new Set<string>();
  return ({ action, target }) => {
    if (action === undefined) return phase === 'before' || target !== undefined;
    return offered.has(action.action) || (target !== undefined && !later.has(action.action));
  };
}

function offeredAt(loop: GraphLoop, current: Activation, phase: Phase): ReadonlySet<string> {
  const { allowed = [] } = gateDraft(loop.frame(), current, loop.node(current), phase);
  return new Set<string>([...allowed, 'pause']);
}
