import { operationOf } from '../operation/index.js';
import type { Activation } from '../state.js';

/**
 * The activation without an operation and all that began after it: its code does them again. What they did outside
 * stays done.
 */
export function cutFrom(current: Activation, key: string): Activation {
  const keys = current.operations.entries().map(([name]) => name);
  const index = keys.indexOf(key);
  return index === -1 ? current : without(current, keys.slice(index));
}

/** The activation without one operation. */
export function without(current: Activation, keys: readonly string[]): Activation {
  const gone = new Set<string | undefined>(keys);
  const frames = new Set(keys.map(frameOf));
  const { withdrawn, ...rest } = current;
  const still = withdrawn?.filter((name) => !frames.has(name)) ?? [];
  return {
    ...rest,
    ...(still.length > 0 && { withdrawn: still }),
    operations: current.operations.without(keys),
    frames: current.frames.without([...frames]),
    asks: current.asks.filter(({ interrupt }) => !gone.has(operationOf(interrupt))),
  };
}

/** Names what runs inside of an operation, in the frames of its activation and in paths: `left:notes#1`. */
export function frameOf(key: string): string {
  return key.replaceAll('/', ':');
}

/**
 * The activation to be tried again by a person: what failed, and what was answered, without anything that began after
 * it would lead to the same end, and is done anew. What time or an event from outside said, no person has to say again.
 */
export function withoutLastEnds(current: Activation): Activation {
  const { size } = current.operations;
  const failed = current.operations
    .entries()
    .flatMap(([key, record]) => (record.status === 'failed' && record.begun === size ? [key] : []));
  const answered = current.asks.flatMap(({ interrupt, begun }) => {
    const key = operationOf(interrupt);
    return begun !== size || key === undefined || isWait(current, key) ? [] : [key];
  });
  return failed.length + answered.length === 0 ? current : without(current, [...failed, ...answered]);
}

function isWait({ operations }: Activation, key: string): boolean {
  const kind = operations.get(key)?.kind;
  return kind === 'timer' || kind === 'event';
}
