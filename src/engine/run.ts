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
 * Runs a session from its state to its next stop, as a stream of events: decides the next step, takes it,
 * folds its events, and decides again. Its only I/O is that of the model and the tools. Write-ahead: make a
 * durable event durable before you advance the generator, except one marked `lazily`. If you fold the events
 * yourself, pass your state to `next`, and the run does not fold them again. Aborting the signal ends the run
 * with the reason `aborted`; what was complete by then is kept. If the signal's reason is a `Suspension`, the
 * end is not recorded, and the next run continues.
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
