import type { JsonObject, JsonValue } from '../data/json.js';
import type { Activation, GraphFrame } from './state.js';
import type { StateChanges } from './graph-state.js';
import { activationId, GraphFrameOf } from './frame.js';
import { nameOfKey } from './operation.js';
import { AppendList } from '../data/sequence.js';

/** Returns the activations in effect: without undone ones, the current one last (I-20). */
export function livePath(frame: GraphFrame): readonly Activation[] {
  return activationsOf(frame).filter(({ status }) => status !== 'undone');
}

/** Returns every activation of a graph, in order of entry. */
export function activationsOf({ history, current }: GraphFrame): readonly Activation[] {
  return current === undefined ? [...history] : [...history, current];
}

/**
 * Returns the activation to go back to, or why there is none (I-22): a number of steps, a node, or
 * `node@visit`.
 */
export function findTarget(
  frame: GraphFrame,
  { steps = 1, to }: { readonly steps?: number; readonly to?: string },
): Activation | string {
  const live = livePath(frame);
  const shown = live.map(activationId).join(', ');
  if (to !== undefined) {
    const found = live.findLast((one) => one.node === to || activationId(one) === to);
    return found ?? `\`${to}\` is not on the path: ${shown}`;
  }
  const here = frame.current === undefined ? live.length : live.length - 1;
  return live[here - steps] ?? `${steps} steps back is before the start of the path: ${shown}`;
}

/** Where a run continues: before an activation, or before an operation of the latest one's code. */
export interface BackPlace {
  readonly activation: Activation;
  readonly operation?: string;
}

/** Parses a position, `review`, `review@2` or `healthy#2`, or returns why there is none. */
export function findPlace(frame: GraphFrame, to: string): BackPlace | string {
  const { current } = frame;
  if (current?.operations.get(to) !== undefined) return { activation: current, operation: to };
  const found = findTarget(frame, { to });
  if (typeof found !== 'string') return { activation: found };
  const keys = current?.operations.entries().map(([key]) => key) ?? [];
  const named = keys.filter((key) => nameOfKey(key) === to);
  const [only] = named;
  if (current !== undefined && only !== undefined && named.length === 1)
    return { activation: current, operation: only };
  if (only !== undefined) return `\`${to}\` names ${named.length} operations: ${listed(named)}`;
  return keys.length === 0 ? found : `${found}; the last operations: ${listed(keys.slice(-MOST_KEYS))}`;
}

/** Number of operation keys listed in a message. */
const MOST_KEYS = 8;

function listed(keys: readonly string[]): string {
  const more = keys.length > MOST_KEYS ? ', …' : '';
  return `${keys.slice(0, MOST_KEYS).join(', ')}${more}`;
}

/**
 * Undoes a target and everything after it, newest first, and enters the target next. Keeps people's changes
 * from before the target ran.
 */
export function backTo(frame: GraphFrame, target: Activation, guidance: readonly string[]): GraphFrame {
  const live = livePath(frame);
  const from = live.findIndex((one) => isSame(one, target));
  const undone = live.slice(from);
  const undos: StateChanges[] = [];
  for (const one of undone.toReversed()) {
    if (one.undo !== undefined) undos.push(one.undo);
    if (!isSame(one, target)) undos.push(...one.edits.toReversed());
  }
  const gone = new Set(undone.map(activationId));
  const { current: _current, ...rest } = frame;
  return new GraphFrameOf({
    ...rest,
    values: frame.values.undo(undos),
    history: AppendList.of(
      activationsOf(frame).map((one) => (gone.has(activationId(one)) ? markUndone(one) : one)),
    ),
    next: { node: target.node, guidance, edits: target.edits },
  });
}

/** The state when an activation on the path was entered. */
export function stateBefore(frame: GraphFrame, activation: Activation): JsonObject {
  return backTo(frame, activation, []).values.plain;
}

function markUndone(activation: Activation): Activation {
  const { open: _open, ...rest } = activation;
  return { ...rest, status: 'undone' };
}

function isSame(left: Activation, right: Activation): boolean {
  return left.node === right.node && left.visit === right.visit;
}

/** Returns a graph's output: that of its last node, or `null`. */
export function outputOf(frame: GraphFrame): JsonValue {
  return livePath(frame).at(-1)?.output?.value ?? null;
}
