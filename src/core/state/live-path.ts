import type { JsonObject, JsonValue } from '../data/json.js';
import type { Activation, GraphFrame } from './state.js';
import type { StateChanges } from './graph-state.js';
import { activationId, GraphFrameOf } from './frame.js';
import { nameOfKey } from './operation.js';
import { AppendList } from '../data/sequence.js';

/** Returns the activations that have not been undone, ending with the current one (I-20). */
export function livePath(frame: GraphFrame): readonly Activation[] {
  return activationsOf(frame).filter(({ status }) => status !== 'undone');
}

/** Returns all activations of a graph, in the order they were entered. */
export function activationsOf({ history, current }: GraphFrame): readonly Activation[] {
  return current === undefined ? [...history] : [...history, current];
}

/**
 * Finds the activation to go back to, given a number of steps, a node or `node@visit`. Returns an error
 * message if there is none (I-22).
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

/**
 * The point from which to continue a run: before an activation, or before an operation in the code of the
 * latest activation.
 */
export interface BackPlace {
  readonly activation: Activation;
  readonly operation?: string;
}

/**
 * Parses a position such as `review`, `review@2` or `healthy#2`. Returns an error message if it does not
 * exist.
 */
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

/** Maximum number of operation keys in an error message. */
const MOST_KEYS = 8;

function listed(keys: readonly string[]): string {
  const more = keys.length > MOST_KEYS ? ', …' : '';
  return `${keys.slice(0, MOST_KEYS).join(', ')}${more}`;
}

/**
 * Undoes an activation and everything after it, newest first, so that its node is entered next. Changes that
 * people made before the activation ran are kept.
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

/** Returns the state at the time an activation on the path was entered. */
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

/** Returns the output of a graph: the output of its last node, or `null` if there is none. */
export function outputOf(frame: GraphFrame): JsonValue {
  return livePath(frame).at(-1)?.output?.value ?? null;
}
