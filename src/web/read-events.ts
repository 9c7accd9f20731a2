import type { LiveEvent } from '../core/index.js';
import { errorFrom } from '../core/data/error-record.js';
import { HitlError, isHitlError } from '../core/data/errors.js';
import { wireEvents } from './wire-events.js';

/** The reconnect options of `readEvents`. */
export interface ReadEventsOptions {
  /** Ends the pause before a reconnect. Pass it to `fetch`, too. Default: none. */
  readonly signal?: AbortSignal;
  /** Number of lost connections without an event before it fails. Default 5. */
  readonly maxRetries?: number;
  /** Pause before the first reconnect in milliseconds; it doubles. Default 500. */
  readonly retryMs?: number;
}

/** Requests the events after a known one. */
export type AskForEvents = (after: number) => Promise<Response>;

/**
 * Reads events from `toResponse` until the run stops. With a function instead of a response, it reconnects
 * with the number of its last event: no stored event is repeated or lost. Everything is validated and
 * limited.
 * @throws HitlError BAD_INPUT for an invalid stream, ABORTED for a lost connection, and the run's failure.
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

/** Yields a response's new events. @throws HitlError the run's failure. */
async function* newEvents(response: Response, known: number): AsyncGenerator<LiveEvent, void, undefined> {
  let last = known;
  for await (const event of wireEvents(response)) {
    if (event.type === 'failed') throw errorFrom(event.error);
    if ('seq' in event && event.seq <= last) continue;
    if ('seq' in event) last = event.seq;
    yield event;
  }
}

/** Requests a response; undefined without a reply. */
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
