import type { LiveEvent, RunResult } from '../core/index.js';
import type { ToResponseOptions } from './to-response.js';
import { toResponse } from './to-response.js';

/**
 * Creates the response for a run, and closes its chat or flow when the run stops:
 * `runResponse(chat.say(text), chat)`. The last event is sent only after that, so that the client can answer
 * as soon as the event arrives. If the client disconnects, the run continues.
 * @throws HitlError if the run was refused before it started; use `toRefusal`.
 */
export async function runResponse(
  run: AsyncIterable<LiveEvent> & PromiseLike<RunResult>,
  session: { close(): Promise<void> },
  options?: ToResponseOptions,
): Promise<Response> {
  const closed = closedAfter(run, session);
  closed.catch(() => undefined); // the last event throws it, where somebody reads that far
  const events = run[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return toResponse(withheld(first, events, closed), options);
  } catch (refused) {
    await closed;
    throw refused;
  }
}

async function closedAfter(run: PromiseLike<RunResult>, session: { close(): Promise<void> }): Promise<void> {
  try {
    await run;
  } catch {
    // the events end with it
  }
  await session.close();
}

/** Yields the events, but holds back the last one until the session is closed. */
async function* withheld(
  first: IteratorResult<LiveEvent, unknown>,
  events: AsyncIterator<LiveEvent, unknown>,
  closed: Promise<void>,
): AsyncGenerator<LiveEvent, void, undefined> {
  try {
    for (let step = first; step.done !== true; step = await events.next()) {
      if (step.value.type === 'rested') await closed;
      yield step.value;
    }
  } catch (thrown) {
    await closed;
    throw thrown;
  }
}
