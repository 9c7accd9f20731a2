import type { Clock, Model, ModelEvent } from '../core/index.js';
import { isHitlError } from '../core/index.js';
import type { ProviderFailure } from './provider-error.js';
import { afterTries, failureOf } from './provider-error.js';

// Invariants:
// R1 A try is repeated only where its failure says that this may help, and its reply did not arrive: nothing ran.
// R2 What a failed try had streamed is taken back with `restarted` before the next try begins.
// R3 At most `maxTries` tries; none begins later than `maxMs` after the first.
// R4 Aborting ends a wait at once.

export interface RetryOptions {
  readonly clock: Clock;
  /**
   * Returns a number from 0 (inclusive) to 1 (exclusive), used to randomize the delays. Default: delays are
   * not randomized.
   */
  readonly random?: () => number;
  /** Default 5. */
  readonly maxTries?: number;
  /** Default five minutes. */
  readonly maxMs?: number;
}

const MAX_TRIES = 5;
const MAX_MS = 5 * 60_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Returns the delay before the next attempt: the one requested by the provider or, by default, one second,
 * doubled with each attempt and randomly shortened by up to half.
 */
function waitAfter(tries: number, failure: ProviderFailure, random: (() => number) | undefined): number {
  if (failure.retryAfterMs !== undefined) return Math.ceil(failure.retryAfterMs);
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return Math.round(random === undefined ? full : full * (1 - random() / 2));
}

function reasonOf({ status, type }: ProviderFailure): string {
  if (status === 529 || type === 'overloaded_error') return 'overloaded';
  if (status === 429 || type === 'rate_limit_error') return 'rate limit';
  if (status !== undefined) return `status ${status}`;
  return type ?? 'connection lost';
}

/** The events that `retryStream` adds to a stream. */
export type RetryEvent = Extract<ModelEvent, { readonly type: 'retrying' | 'restarted' }>;

/**
 * Retries a stream after temporary failures (R1) and reports each delay with a `retrying` event. A failure
 * after the `reply` event is not retried, because the stream has delivered its result by then.
 * @throws HitlError the error from `start`, with the number of attempts added
 */
export async function* retryStream<Event extends { readonly type: string }>(
  start: (signal: AbortSignal) => AsyncIterable<Event>,
  options: RetryOptions,
  signal: AbortSignal,
): AsyncGenerator<Event | RetryEvent, void, undefined> {
  const { clock, random, maxTries = MAX_TRIES, maxMs = MAX_MS } = options;
  const begun = clock.now();
  for (let tries = 1; ; tries += 1) {
    let last: string | undefined;
    try {
      for await (const event of start(signal)) {
        last = event.type;
        yield event;
      }
      return;
    } catch (thrown) {
      signal.throwIfAborted(); // R4
      const failure = failureOf(thrown);
      if (failure === undefined || !isHitlError(thrown) || last === 'reply') throw thrown;
      const waitMs = waitAfter(tries, failure, random);
      const late = tries >= maxTries || clock.now() - begun + waitMs > maxMs; // R3
      if (!failure.retryable || late) throw afterTries(thrown, failure, tries);
      if (last !== undefined) yield { type: 'restarted' }; // R2
      yield { type: 'retrying', attempt: tries + 1, waitMs, reason: reasonOf(failure) };
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Wraps a model so that temporary failures are retried. */
export function withRetry(model: Model, options: RetryOptions): Model {
  return {
    id: model.id,
    generate: (request, signal) => retryStream((inside) => model.generate(request, inside), options, signal),
  };
}
