import type { LiveEvent, RunResult } from '../core/index.js';
import type { ToResponseOptions } from './to-response.js';
import { toResponse } from './to-response.js';

/**
 * Makes the response of a run, and closes its chat or flow where it rests: `runResponse(chat.say(text), chat)`. The last
 * event is told when that is done, so that whoever answers at once can open the session. A reader who leaves stops
 * nothing, and the session is closed all the same.
 * @throws HitlError what the run was refused with before anything happened: it has a status of its own, by `toRefusal`.
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

/** The events, of which the last one waits until the session is closed. */
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
