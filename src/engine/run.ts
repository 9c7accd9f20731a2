import type { RunState } from '../core/index.js';
import type { RunOutcome, Steps } from './active-run.js';
import { ActiveRun } from './active-run.js';
import { checkAgreed, checkContext } from './check-tools.js';
import { compact } from './compact.js';
import { checkLimits } from './limits.js';
import { runTools } from './round.js';
import { askModel } from './run-model.js';
import type { PromptedRun } from './run-options.js';
import { hear } from './steer.js';
import { Stop } from './stop.js';

/**
 * Runs a session from its current state until it stops, as a stream of events. In a loop, it decides on the
 * next step, performs it and applies its events to the state. Only the model and the tools perform I/O.
 * Write-ahead: store a durable event before you advance the generator, unless the event is marked `lazily`.
 * If you compute the state from the events yourself, pass it to `next`, so that the run does not compute it
 * again. If the signal is aborted, the run ends with the reason `aborted`, and everything completed by then
 * is kept. If the signal's reason is a `Suspension`, the end is not recorded, and the next run continues.
 * @throws HitlError BAD_CONFIG for an invalid limit, BAD_INPUT for a context that a tool rejects,
 * TOOL_NOT_FOUND for an answered call whose tool is missing.
 */
export async function* run(state: RunState, options: PromptedRun, signal: AbortSignal): Steps<RunOutcome> {
  checkLimits(options.limits ?? {});
  checkContext(options.tools, options.context);
  using stop = Stop.following(signal);
  const active = new ActiveRun(state, options, stop);
  for (;;) {
    const step = await active.next();
    if (stop.aborted && step.type !== 'done') return yield* active.halt();
    let outcome: RunOutcome | undefined;
    switch (step.type) {
      case 'call-model': {
        const heard = yield* hear(active);
        if (heard === 'cancel') return yield* active.end({ type: 'aborted' });
        if (heard === 'nothing') outcome = yield* askModel(active, step.attempt);
        break;
      }
      case 'run-tools':
        checkAgreed(step.calls, options.tools); // G11
        outcome = yield* runTools(active, step.calls);
        break;
      case 'compact':
        outcome = yield* compact(active, step);
        break;
      case 'raise-in-doubt':
        yield* active.tell(active.doubts(step.calls));
        break;
      case 'raise-limit':
        yield* active.tell([active.limit(step.reached)]);
        break;
      case 'await-human':
        return { type: 'interrupted', interrupts: step.interrupts, state: active.state };
      case 'end':
        return yield* active.end(step.reason);
      case 'done':
        return { type: 'ended', reason: active.state.ended ?? { type: 'done' }, state: active.state };
    }
    if (outcome !== undefined) return outcome;
  }
}
