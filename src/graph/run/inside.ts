import type { Activation, JsonObject, NodePath } from '../../core/index.js';
import type { GraphLoop, LoopOptions } from './graph-loop.js';
import { hasAnswers, rulesAt } from './judge-message.js';

/** Gives the options and the place of a graph inside of an activation. Observers see the run from its top alone. */
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
