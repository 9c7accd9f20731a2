import type { Call, TransientEvent } from '../core/index.js';
import { Mailbox } from './mailbox.js';
import type { RunnableCall } from './prepare-call.js';
import { prepareCall } from './prepare-call.js';
import { Round } from './round.js';
import type { RunLoop, Told } from './run-loop.js';
import type { RunOptions } from './run-options.js';
import type { ToolRun } from './run-tool.js';
import { runTool } from './run-tool.js';
import type { Stop } from './stop.js';
import type { ToolFailure } from './tool-failure.js';

// Invariants:
// R1 `tool-started` of every call is yielded, and so durable, before any body is entered (G9).
// R2 Each call is told of as soon as it settles; a sibling's failure never stops or hides another's result (G15).
// R3 Leaving the generator early stops every body and waits for it.
// R4 What a stop comes before is not started (G14).
// R5 Results may share a flush: with each other where they come in one turn of the event loop, and the last one with what
//    depends on it, the next request or the question.

type Arrival =
  | { readonly type: 'ended'; readonly runnable: RunnableCall; readonly run: ToolRun }
  | { readonly type: 'progress'; readonly event: TransientEvent };

/**
 * Runs calls at once, tells of each as it settles, and returns what failed, in the order in which it did.
 * A generator that is left early stops the run.
 */
export async function* runTools(loop: RunLoop, calls: readonly Call[]): Told<readonly ToolFailure[]> {
  const { options, stop } = loop;
  const prepared = await Promise.all(calls.map((call) => prepareCall(call, options, stop)));
  if (stop.aborted) return []; // R4
  const round = new Round(loop.interrupts(), options);
  const begun = prepared.map((one) => round.firstEvent(one));
  loop.kept(begun, yield { durable: true, events: begun }); // R1
  const mailbox = new Mailbox<Arrival>();
  let left = 0;
  for (const one of prepared) {
    if (one.type !== 'run') continue;
    left += 1;
    launch(one, { round, mailbox, options }, stop);
  }
  try {
    while (left > 0) {
      const arrivals = await mailbox.take();
      const ended = arrivals.filter(isEnd);
      left -= ended.length;
      for (const { event } of arrivals.filter((arrival) => arrival.type === 'progress'))
        yield { durable: false, event };
      const events = ended.flatMap(({ runnable, run }) => round.lastEvents(runnable, run));
      if (events.length > 0) loop.kept(events, yield { durable: true, events, lazily: true }); // R2, R5
    }
    return round.failures;
  } finally {
    if (left > 0) stop.abort(); // R3
    while (left > 0) left -= (await mailbox.take()).filter(isEnd).length;
  }
}

interface LaunchOptions {
  readonly round: Round;
  readonly mailbox: Mailbox<Arrival>;
  readonly options: RunOptions;
}

function isEnd(arrival: Arrival): arrival is Arrival & { readonly type: 'ended' } {
  return arrival.type === 'ended';
}

function launch(
  runnable: RunnableCall,
  { round, mailbox, options: { clock, runId } }: LaunchOptions,
  stop: Stop,
): void {
  const { call, tool, input } = runnable;
  const { ref, name } = call.request;
  const progress = (text: string): void => {
    mailbox.put({ type: 'progress', event: { type: 'tool-progress', ref, name, text } });
  };
  const idempotencyKey = round.idempotencyKey(call);
  void runTool(tool, call, { input, clock, idempotencyKey, progress, runId }, stop).then((run) => {
    mailbox.put({ type: 'ended', runnable, run });
  });
}
