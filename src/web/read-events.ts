import type { LiveEvent } from '../core/index.js';
import { errorFrom } from '../core/data/error-record.js';
import { HitlError, isHitlError } from '../core/data/errors.js';
import { wireEvents } from './wire-events.js';

/** Options that control how `readEvents` reconnects. */
export interface ReadEventsOptions {
  /** Signal that aborts the pause before a reconnect. Pass it to `fetch` as well. Default: none. */
  readonly signal?: AbortSignal;
  /** Maximum number of consecutive connections that may be lost without delivering an event. Default: 5. */
  readonly maxRetries?: number;
  /** Pause before the first reconnect, in milliseconds. It doubles each time. Default: 500. */
  readonly retryMs?: number;
}

/** Requests the events after the given event number. */
export type AskForEvents = (after: number) => Promise<Response>;

/**
 * Reads the events from a `toResponse` response until the run stops. If given a function instead of a
 * response, reconnects with the number of the last event, so that no stored event is repeated or lost. All
 * data is validated and limited in size.
 * @throws HitlError BAD_INPUT for an invalid stream, ABORTED for a lost connection, or the failure of the
 * run.
 */
export async function* readEvents(
  source: Response | AskForEvents,
  { signal, maxRetries = 5, retryMs = 500 }: ReadEventsOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  let last = 0;
  for (let lost = 0; ; lost += 1) {
    const response = typeof source === 'function' ? await asked(source, last, signal) : source;
    for await (const event of response === undefined ? [] : newEvents(response, last)) {
      if ('seq' in event) {
        last = event.seq;
        lost = 0;
      }
      yield event;
      if (event.type === 'rested') return;
    }
    signal?.throwIfAborted();
    if (typeof source !== 'function' || lost >= maxRetries)
      throw new HitlError('ABORTED', 'the connection broke before the run stopped', {
        hint: 'give a function that asks again: `readEvents((after) => fetch(…))`',
      });
    await pause(retryMs * 2 ** lost, signal);
  }
}

/** Yields the new events in a response. @throws HitlError the failure of the run. */
async function* newEvents(response: Response, known: number): AsyncGenerator<LiveEvent, void, undefined> {
  let last = known;
  for await (const event of wireEvents(response)) {
    if (event.type === 'failed') throw errorFrom(event.error);
    if ('seq' in event && event.seq <= last) continue;
    if ('seq' in event) last = event.seq;
    yield event;
  }
}

/** Requests a response. Returns `undefined` if the server does not reply. */
async function asked(
  ask: AskForEvents,
  after: number,
  signal: AbortSignal | undefined,
): Promise<Response | undefined> {
  try {
    return await ask(after);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (isHitlError(thrown)) throw thrown;
    return undefined;
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
  signal?.throwIfAborted();
}
