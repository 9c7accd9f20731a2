import type { RunState } from '../core/index.js';
import { checkLimits } from './limits.js';
import { callModel, errorRecord } from './run-model.js';
import { compact } from './compact.js';
import { RunLoop } from './run-loop.js';
import type { RunOutcome, Steps } from './run-loop.js';
import type { PromptedRun } from './run-options.js';
import { checkContext } from './call-scene.js';
import { runTools } from './run-tools.js';
import { steerRun } from './steer-run.js';
import { Stop } from './stop.js';
import { toolError } from './tool-failure.js';
import { userWords } from './user-words.js';

/**
 * Runs a session from where its state is to its next stop, as a stream of events. It does no I/O but through
 * the model and tools it is given. Write-ahead: a durable event must be on disk before the generator is advanced,
 * but for one that says `lazily`; with the state behind it or without one: `next(state)` spares the run a fold of its own.
 * Aborting the signal ends the run with the reason `aborted`; what was complete by then is kept. With a `Suspension` as
 * the reason the end is not recorded: the next run goes on.
 * @throws HitlError BAD_CONFIG where a limit is none, BAD_INPUT where the context does not fit a tool.
 */
export async function* run(state: RunState, options: PromptedRun, signal: AbortSignal): Steps<RunOutcome> {
  checkLimits(options.limits ?? {});
  checkContext(options.tools, options.context);
  using stop = Stop.following(signal);
  const loop = new RunLoop(state, options, stop);
  for (;;) {
    const step = await loop.next();
    if (stop.aborted && step.type !== 'done') return yield* loop.halt();
    switch (step.type) {
      case 'call-model': {
        const prompt = loop.takePrompt();
        if (prompt !== undefined) {
          yield* loop.tell([userWords(prompt)]);
          break;
        }
        const steered = options.steering === undefined ? 'go-on' : yield* steerRun(loop, options.steering);
        if (steered === 'again') break;
        if (steered === 'cancel') return yield* loop.end({ type: 'aborted' });
        const outcome = yield* callModel(loop, step.attempt);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'run-tools': {
        const failures = yield* runTools(loop, step.calls);
        if (stop.aborted) return yield* loop.halt();
        if (failures.length === 0 || options.onToolError !== 'throw') break;
        const error = toolError(failures, loop.state);
        return yield* loop.end({ type: 'failed', error: errorRecord(error) }, error);
      }
      case 'compact': {
        const outcome = yield* compact(loop, step);
        if (outcome !== undefined) return outcome;
        break;
      }
      case 'raise-in-doubt':
        yield* loop.tell(loop.doubts(step.calls));
        break;
      case 'raise-limit':
        yield* loop.tell([loop.limit(step.reached)]);
        break;
      case 'await-human':
        return { type: 'interrupted', interrupts: step.interrupts, state: loop.state };
      case 'end':
        return yield* loop.end(step.reason);
      case 'done':
        return { type: 'ended', reason: loop.state.ended ?? { type: 'done' }, state: loop.state };
    }
  }
}
