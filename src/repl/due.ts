import type { Clock, RunState } from '../core/index.js';
import { HitlError, nextTimer } from '../core/index.js';

/** The time to sleep at once, in milliseconds: timers of a process do not take more than some weeks. */
const MOST_SLEEP_MS = 86_400_000;

/**
 * Waits until the first question is over, and gives the reason to withdraw it; without one that ends it waits for ever.
 * Rejects with the signal's reason.
 */
export async function timeIsOver(state: RunState, clock: Clock, signal: AbortSignal): Promise<HitlError> {
  const at = nextTimer(state)?.at ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const left = at - clock.now();
    if (left <= 0) return new HitlError('ABORTED', 'its time is over');
    await clock.sleep(Math.min(left, MOST_SLEEP_MS), signal);
  }
}
