import type { Call } from '../core/index.js';
import { roundScene } from './call-scene.js';
import type { Arrival } from './crew.js';
import { Crew } from './crew.js';
import { admit } from './excess-calls.js';
import type { PreparedCall } from './prepare-call.js';
import { Round } from './round.js';
import type { RunLoop, Steps } from './run-loop.js';
import type { ToolFailure } from './tool-failure.js';

// Invariants:
// R1 `tool-started` of a call is yielded, and so durable, before its body is entered (G9).
// R2 Each call is told of as soon as it settles; a sibling's failure never stops or hides another's result (G15).
// R3 Leaving the generator early stops every body and waits for it.
// R4 What a stop comes before is not started (G14).
// R5 Results may share a flush: with each other where they come in one turn of the event loop, and the last one with what
//    depends on it, the next start, the next request or the question.
// R6 At most `MOST_AT_ONCE` calls are prepared or run at a time; a call is prepared when there is room for its body, so
//    that what it was found to do is what it does. At most `MOST_CALLS` of one reply start.

/**
 * Runs calls, a few at a time, tells of each as it settles, and returns what failed, in the order in which it did.
 * A generator that is left early stops the run.
 */
export async function* runTools(loop: RunLoop, calls: readonly Call[]): Steps<readonly ToolFailure[]> {
  const { options, stop } = loop;
  const round = new Round(loop.interrupts(), options);
  const { admitted, excess } = admit(calls, loop.state);
  if (excess.length > 0) yield* begin(loop, round, excess); // R6
  const crew = new Crew(admitted, roundScene(loop.state.view, options), options, stop);
  try {
    crew.fill();
    while (crew.isBusy) {
      const arrivals = await crew.take();
      yield* results(loop, round, arrivals);
      for (const { calls: ready } of arrivals.filter((arrival) => arrival.type === 'prepared'))
        yield* start(loop, round, crew, await ready);
      crew.fill();
    }
    return round.failures;
  } finally {
    if (crew.isBusy) stop.abort(); // R3
    while (crew.isBusy) await crew.take();
  }
}

/** Tells what bodies said and how they ended. */
async function* results(loop: RunLoop, round: Round, arrivals: readonly Arrival[]): Steps<void> {
  for (const arrival of arrivals) {
    if (arrival.type === 'progress') yield { durable: false, event: arrival.event };
  }
  const events = arrivals.flatMap((arrival) =>
    arrival.type === 'ended' ? round.lastEvents(arrival.runnable, arrival.run) : [],
  );
  if (events.length > 0) loop.adopt(events, yield { durable: true, events, lazily: true }); // R2, R5
}

async function* start(
  loop: RunLoop,
  round: Round,
  crew: Crew,
  prepared: readonly PreparedCall[],
): Steps<void> {
  if (loop.stop.aborted) return; // R4
  yield* begin(loop, round, prepared); // R1
  for (const one of prepared) {
    if (one.type === 'run') crew.enter(one, round.idempotencyKey(one.call));
  }
}

/** Tells what is durable before any of these bodies is entered. */
function begin(loop: RunLoop, round: Round, prepared: readonly PreparedCall[]): ReturnType<RunLoop['tell']> {
  return loop.tell(prepared.map((one) => round.firstEvent(one)));
}
