import type { SessionEvent } from '../state/event.js';
import { resolvedBy } from '../state/call.js';
import { activationId } from '../state/frame.js';
import type { InterruptId, NodePath } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject } from '../data/json.js';
import type { PathStep } from './path-steps.js';
import { pathSteps } from './path-steps.js';
import type { RunState } from '../state/state.js';
import { emptyState, interruptAtOnce, openInterrupt } from '../state/state.js';
import { stateAt } from './state-at.js';
import { addUsage } from '../data/finish-reason.js';

/** An event, its path, and the function that applies it to a state. */
export interface Within {
  readonly event: SessionEvent;
  readonly scope: NodePath;
  readonly evolve: (state: RunState, event: SessionEvent) => RunState;
}

/**
 * Lets a stopped or failed run continue after an answer. A reached limit stays in effect until it is
 * extended.
 */
export function goingOn(state: RunState): RunState {
  return state.ended?.type === 'limit' ? state : withoutEnd(state);
}

/** Lets a run that was stopped, failed or reached a limit continue. A finished run is left unchanged. */
export function withoutEnd(state: RunState): RunState {
  return state.ended === undefined ? state : { ...state, ended: undefined };
}

/**
 * Applies an event inside a node. The session's own state keeps track of all interrupts, answers and usage
 * inside its nodes.
 */
export function evolveWithin(
  state: RunState,
  { event, scope, evolve }: Within,
  illegal: (why: string) => never,
): RunState {
  const { scope: _scope, ...own } = event;
  const answered = event.type === 'interrupt-resolved' ? openAt(state, scope, event.id) : undefined;
  const within = evolveAt(state, pathSteps(scope), { event: own, scope, evolve }, illegal);
  if (event.type === 'interrupt-raised' || event.type === 'interrupt-escalated')
    return { ...within, interruptCount: state.interruptCount + 1 };
  if ((event.type === 'message-added' || event.type === 'context-compacted') && event.usage !== undefined)
    return { ...within, usage: addUsage(state.usage, event.usage) };
  if (event.type !== 'interrupt-resolved') return within;
  if (answered === undefined) return illegal(`interrupt \`${event.id}\` is not open`);
  return {
    ...goingOn(within),
    resolved: state.resolved.append(resolvedBy(event, answered)),
  };
}

/** Finds an open question. Checks only the given path, because many other branches may be waiting. */
function openAt(state: RunState, scope: NodePath, wanted: InterruptId): Interrupt | undefined {
  const asking = stateAt(state, scope);
  const open = asking && (openInterrupt(asking, wanted) ?? interruptAtOnce(asking, wanted));
  // A graph inside another one sees its own part of the path.
  return open?.path === scope || open?.path.endsWith(`/${scope}`) === true ? open : undefined;
}

function evolveAt(
  state: RunState,
  [step, ...deeper]: readonly PathStep[],
  what: Within,
  illegal: (why: string) => never,
): RunState {
  const { event, evolve } = what;
  const { graph } = state;
  const current = graph?.current;
  if (graph === undefined || current === undefined || activationId(current) !== step?.activation)
    return illegal(`\`${step?.activation ?? ''}\` is not the current node`);
  const { branch } = step;
  const child = current.frames.get(branch) ?? emptyState();
  const evolved =
    deeper.length > 0 ? evolveAt(child, deeper, what, illegal) : evolve(child, inheriting(event, graph));
  const frames = current.frames.set(branch, evolved);
  const goesOn = event.type === 'interrupt-resolved' ? goingOn(state) : state;
  return { ...goesOn, graph: graph.with({ current: { ...current, frames } }) };
}

/**
 * Adds the enclosing graph's state to the start event of a graph that inherits state. Returns other events
 * unchanged.
 */
export function inheriting(
  event: SessionEvent,
  around: { readonly state: JsonObject } | undefined,
): SessionEvent {
  return event.type === 'graph-started' && event.inherit
    ? { ...event, inherit: false, set: { ...around?.state, ...event.set } }
    : event;
}
