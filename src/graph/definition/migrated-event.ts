import type {
  Actor,
  GatePoints,
  GraphFrame,
  GraphOutline,
  OperationGates,
  SessionEvent,
} from '../../core/index.js';
import type { Graph } from './graph-definition.js';
import { namesOf } from './inner-nodes.js';
import { builtinReducers } from '../state/reducers.js';

/** Creates the event that makes a run continue with another definition. */
export function migratedEvent(
  frame: GraphFrame,
  graph: Graph,
  { outline, by }: { readonly outline: GraphOutline; readonly by: Actor },
): SessionEvent & { readonly type: 'graph-migrated' } {
  const { hash, before, after, reducers, nodes } = graph;
  return {
    type: 'graph-migrated',
    hash,
    outline,
    before: bothPoints(frame.before, before),
    after: bothPoints(frame.after, after),
    reducers: builtinReducers(reducers),
    ...(frame.gates !== undefined || outline.gates !== undefined
      ? { gates: gatesAfter(frame, outline) }
      : {}),
    ...(frame.nodes !== undefined && { nodes: namesOf(Object.entries(nodes)) }),
    by,
  };
}

/** Merges two sets of gates, so that a run keeps its own gates and gains those of the definition (I-14). */
export function bothPoints(left: GatePoints, right: GatePoints): GatePoints {
  return left === '*' || right === '*' ? '*' : [...new Set([...left, ...right])];
}

/**
 * Updates a run's operation gates: removes those that the definition no longer contains, and adds its new
 * ones.
 */
function gatesAfter(
  { gates = [], outline: kept }: GraphFrame,
  { gates: now = {} }: GraphOutline,
): OperationGates {
  if (gates === '*') return gates;
  const gone = new Set(Object.keys(kept?.gates ?? {}).filter((name) => !Object.hasOwn(now, name)));
  return bothPoints(
    gates.filter((name) => !gone.has(name)),
    Object.keys(now),
  );
}
