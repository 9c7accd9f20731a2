import type { RunState } from '../core/index.js';
import { checkLimits } from './limits.js';
import { compact } from './compact.js';
import { RunLoop } from './run-loop.js';
import type { RunOutcome, Stage, Steps } from './run-loop.js';
import { ModelCall } from './run-model.js';
import type { PromptedRun } from './run-options.js';
import { checkContext } from './call-scene.js';
import { ToolRound } from './run-tools.js';
import { steerRun } from './steer-run.js';
import { Stop } from './stop.js';
import { checkAgreed } from './tools-here.js';
import { userWords } from './user-words.js';

/**
 * Runs a session from where its state is to its next stop, as a stream of events. It does no I/O but through
 * the model and tools it is given. Write-ahead: a durable event must be on disk before the generator is advanced,
 * but for one that says `lazily`; with the state behind it or without one: `next(state)` spares the run a fold of its own.
 * Aborting the signal ends the run with the reason `aborted`; what was complete by then is kept. With a `Suspension` as
 * the reason the end is not recorded: the next run goes on.
 * @throws HitlError BAD_CONFIG where a limit is none, BAD_INPUT where the context does not fit a tool, TOOL_NOT_FOUND where
 * a person answered for a call whose tool is not here.
 */
export async function* run(state: RunState, options: PromptedRun, signal: AbortSignal): Steps<RunOutcome> {
  checkLimits(options.limits ?? {});
  checkContext(options.tools, options.context);
  using stop = Stop.following(signal);
  await using loop = new RunLoop(state, options, stop);
  for (;;) {
    const next = loop.next();
    const step = next instanceof Promise ? await next : next;
    if (stop.aborted && step.type !== 'done') return yield* loop.halt();
    let stage: Stage;
    switch (step.type) {
      case 'call-model': {
        const prompt = loop.takePrompt();
        if (prompt !== undefined) {
          yield* loop.tell([userWords(prompt)]);
          continue;
        }
        const steered = options.steering === undefined ? 'go-on' : yield* steerRun(loop, options.steering);
        if (steered === 'again') continue;
        if (steered === 'cancel') return yield* loop.end({ type: 'aborted' });
        stage = new ModelCall(loop, step.attempt);
        break;
      }
      case 'run-tools':
        checkAgreed(step.calls, options.tools); // G11
        stage = new ToolRound(loop, step.calls);
        break;
      case 'compact': {
        const outcome = yield* compact(loop, step);
        if (outcome !== undefined) return outcome;
        continue;
      }
      case 'raise-in-doubt':
        yield* loop.tell(loop.doubts(step.calls));
        continue;
      case 'raise-limit':
        yield* loop.tell([loop.limit(step.reached)]);
        continue;
      case 'await-human':
        return { type: 'interrupted', interrupts: step.interrupts, state: loop.state };
      case 'end':
        return yield* loop.end(step.reason);
      case 'done':
        return { type: 'ended', reason: loop.state.ended ?? { type: 'done' }, state: loop.state };
    }
    loop.stage = stage;
    for (;;) {
      const telling = stage.next();
      const event = telling instanceof Promise ? await telling : telling;
      if (event === undefined) break;
      stage.told(event, yield event);
    }
    const end = stage.end();
    if (end !== undefined) return yield* end;
  }
}
