import type { Activation, JsonObject, NodePath } from '../../core/index.js';
import type { GraphLoop, LoopOptions } from './graph-loop.js';
import { hasAnswers, rulesAt } from './judge-message.js';

/**
 * Returns the options and location for a graph inside an activation. Observers are called only at the top
 * level.
 */
export function inside(
  loop: GraphLoop,
  current: Activation,
  { path, set }: { readonly path: NodePath; readonly set: JsonObject },
): Pick<LoopOptions, 'options' | 'place'> {
  const { start: _start, observers: _observers, ...options } = loop.options;
  const steer = rulesAt(loop, current);
  return {
    options: { ...options, start: { set } },
    place: {
      path,
      interrupts: loop.interrupts,
      hasAnswers: hasAnswers(loop),
      ...(steer !== undefined && { steer }),
    },
  };
}
