import type { RunState } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { RunOutcome } from '../../engine/index.js';
import type { GraphOptions, Steps, RunObserver } from './graph-loop.js';

/**
 * The same run, which observers see and cannot change: the first thing that each throws is told, and the run goes on
 * (C-35).
 */
export async function* observed(
  state: RunState,
  steps: Steps<RunOutcome>,
  { observers = [], notice }: Pick<GraphOptions, 'observers' | 'notice'>,
): Steps<RunOutcome> {
  const failed = new Set<RunObserver>();
  const show = (event: Parameters<RunObserver>[0]): void => {
    for (const observer of observers) {
      try {
        observer(event);
      } catch (thrown) {
        if (!failed.has(observer)) notice?.(`an observer of the run failed: ${messageOf(thrown)}`);
        failed.add(observer);
      }
    }
  };
  try {
    let step = await steps.next();
    while (step.done !== true) {
      const event = step.value;
      const kept: unknown = yield event;
      for (const one of event.durable ? event.events : [event.event]) show(one);
      step = await steps.next(kept);
    }
    return step.value;
  } finally {
    // Whoever leaves early waits for the run to stop.
    await steps.return({ type: 'ended', reason: { type: 'aborted' }, state });
  }
}
