import type { JsonObject, JsonValue } from '../data/json.js';
import { jsonEquals, ownOf } from '../data/json.js';
import type { Activation, GraphFrame } from './state.js';
import type { GraphState, StateChanges } from './graph-state.js';
import { reduceValue, joinChanges } from './graph-state.js';
import { isReservedKey } from './frame.js';

/** Returns the reason that a person's patch to the state is invalid; `undefined` if it is valid. */
export function patchProblem(frame: GraphFrame, patch: JsonObject): string | undefined {
  for (const [key, value] of Object.entries(patch)) {
    if (isReservedKey(key)) return `the state key \`${key}\` is reserved`;
    if (reduced(frame, key, value) === undefined)
      return `\`${key}\` does not accept this value: its reducer is ${ownOf(frame.reducers, key) ?? ''}`;
  }
  return undefined;
}

/**
 * Applies patches made by people, using the reducers. When the next activation is undone, the patches are
 * undone too.
 */
export function editState(frame: GraphFrame, patches: readonly JsonObject[]): GraphFrame {
  let next = frame;
  for (const patch of patches) {
    const values = Object.entries(patch).map(([key, value]) => [key, reduced(next, key, value)] as const);
    const set = Object.fromEntries(
      values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    const { state, undo } = next.values.apply({ set });
    next = withEdit(next.with({ values: state }), undo);
  }
  return next;
}

function reduced(frame: GraphFrame, key: string, value: JsonValue): JsonValue | undefined {
  return reduceValue(ownOf(frame.reducers, key), frame.values.get(key), value);
}

function withEdit(frame: GraphFrame, undo: StateChanges): GraphFrame {
  const { current, next } = frame;
  if (next !== undefined) return frame.with({ next: { ...next, edits: [...next.edits, undo] } });
  if (current === undefined) return frame;
  if (current.phase === 'before' || current.phase === 'run')
    return frame.with({ current: askedAnew(current, undo, frame.values) });
  // Behind the node: its own undo takes back both, the edit first.
  const both = joinChanges(undo, current.undo ?? { set: {} });
  return frame.with({ current: { ...current, undo: both } });
}

/** Makes a node ask its questions again, because they were answered for the state before the change. */
function askedAnew(current: Activation, undo: StateChanges, now: GraphState): Activation {
  const edited = { ...current, edits: [...current.edits, undo] };
  if (current.asks.length === 0 && current.since === undefined) return edited;
  if (isSame(undo, now)) return edited;
  return { ...edited, asks: [], since: joinChanges(undo, current.since ?? { set: {} }) };
}

function isSame({ set, unset = [] }: StateChanges, now: GraphState): boolean {
  const isKept = ([key, value]: readonly [string, JsonValue]): boolean =>
    jsonEquals(value, now.get(key) ?? null);
  return unset.length === 0 && Object.entries(set).every(isKept);
}
