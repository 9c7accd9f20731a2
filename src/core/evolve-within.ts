import type { SessionEvent } from './event.js';
import { goingOn } from './going-on.js';
import { activationId } from './graph/frame.js';
import type { NodePath } from './ids.js';
import type { GraphFrame, RunState } from './state.js';
import { emptyState, openInterrupts } from './state.js';
import { addUsage } from './usage.js';

/** An event, where it happened, and what folds it there. */
export interface Within {
  readonly event: SessionEvent;
  readonly scope: NodePath;
  readonly evolve: (state: RunState, event: SessionEvent) => RunState;
}

/** An event of what runs inside a node. The session counts interrupts, answers and usage of everything in it. */
export function evolveWithin(
  state: RunState,
  { event, scope, evolve }: Within,
  illegal: (why: string) => never,
): RunState {
  const { scope: _scope, ...own } = event;
  const answered =
    event.type === 'interrupt-resolved'
      ? openInterrupts(state).find(({ id, path }) => id === event.id && path === scope)
      : undefined;
  const within = evolveAt(state, scope.split('/'), { event: own, scope, evolve }, illegal);
  if (event.type === 'interrupt-raised') return { ...within, interruptCount: state.interruptCount + 1 };
  if (event.type === 'message-added' && event.usage !== undefined)
    return { ...within, usage: addUsage(state.usage, event.usage) };
  if (event.type !== 'interrupt-resolved') return within;
  if (answered === undefined) return illegal(`interrupt \`${event.id}\` is not open`);
  const { resolution, by, resolvedAt } = event;
  return {
    ...goingOn(within),
    resolved: state.resolved.append({ interrupt: answered, resolution, by, resolvedAt }),
  };
}

function evolveAt(
  state: RunState,
  [first = '', ...rest]: readonly string[],
  what: Within,
  illegal: (why: string) => never,
): RunState {
  const { event, evolve } = what;
  const { graph } = state;
  const current = graph?.current;
  if (graph === undefined || current === undefined || activationId(current) !== first)
    return illegal(`\`${first}\` is not what runs`);
  const branch = rest[0] !== undefined && !rest[0].includes('@') ? rest[0] : '';
  const deeper = branch === '' ? rest : rest.slice(1);
  const child = current.frames.get(branch) ?? emptyState();
  const evolved =
    deeper.length > 0 ? evolveAt(child, deeper, what, illegal) : evolve(child, inherited(event, graph));
  const frames = current.frames.set(branch, evolved);
  const goesOn = event.type === 'interrupt-resolved' ? goingOn(state) : state;
  return { ...goesOn, graph: { ...graph, current: { ...current, frames } } };
}

/** A graph that inherits begins with the state of the graph around it. */
function inherited(event: SessionEvent, { state }: GraphFrame): SessionEvent {
  return event.type === 'graph-started' && event.inherit
    ? { ...event, inherit: false, set: { ...state, ...event.set } }
    : event;
}
