import { describe, expect, test } from 'vitest';

import type { Model, ModelEvent } from '../../src/core/index.js';
import { HitlError, NO_USAGE } from '../../src/core/index.js';
import { providerError } from '../../src/models/provider-error.js';
import type { RetryOptions } from '../../src/models/retry-model.js';
import { withRetry } from '../../src/models/retry-model.js';
import { requestOf } from './anthropic-server.js';
import { ManualClock } from './manual-clock.js';

const said: ModelEvent = { type: 'text-delta', text: 'x' };
const reply: ModelEvent = { type: 'reply', reply: { content: [], end: 'stop', usage: NO_USAGE } };
const signal = new AbortController().signal;

function failing(retryAfterMs?: number): HitlError {
  return providerError({
    who: 'P',
    model: 'm',
    message: 'busy',
    status: 503,
    keyVariable: 'KEY',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** A model that plays one list of events after the other; an error at the end of a list is thrown. */
function playing(...tries: readonly (ModelEvent | Error)[][]): Model & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: 'played',
    asked: () => asked,
    async *generate() {
      const events = tries[asked] ?? [];
      asked += 1;
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
}

async function tell(model: Model, options: Partial<RetryOptions> = {}) {
  const events: ModelEvent[] = [];
  const clock = new ManualClock(() => true);
  const retrying = withRetry(model, { clock, ...options });
  try {
    for await (const event of retrying.generate(requestOf(), signal)) events.push(event);
  } catch (thrown) {
    return { events, thrown };
  }
  return { events, thrown: undefined };
}

const retrying = (attempt: number, waitMs: number) => ({
  type: 'retrying',
  attempt,
  waitMs,
  reason: 'status 503',
});

describe('a model with retries', () => {
  test('keeps its id and says nothing where nothing fails', async () => {
    const model = playing([said, reply]);

    expect(withRetry(model, { clock: new ManualClock() }).id).toBe('played');
    expect(await tell(model)).toEqual({ events: [said, reply], thrown: undefined });
  });

  test('takes back only what was streamed', async () => {
    const { events } = await tell(playing([failing()], [said, failing()], [said, reply]));

    expect(events).toEqual([retrying(2, 1000), said, { type: 'restarted' }, retrying(3, 2000), said, reply]);
  });

  test('doubles its waits up to half a minute', async () => {
    const { events, thrown } = await tell(playing(...Array.from({ length: 9 }, () => [failing()])), {
      maxTries: 8,
    });

    expect(events.map((event) => event.type === 'retrying' && event.waitMs)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
    expect(thrown).toMatchObject({ message: 'P answered 503: busy, after 8 tries' });
  });

  test.for([
    [0, 1000],
    [0.5, 750],
    [0.998, 501],
  ] as [number, number][])('spreads a wait by chance: %d makes it %d ms', async ([chance, waitMs]) => {
    const { events } = await tell(playing([failing()], [reply]), { random: () => chance });

    expect(events[0]).toEqual(retrying(2, waitMs));
  });

  test('gives up when the provider asks for more time than there is', async () => {
    const model = playing([failing(200_000)], [failing(200_000)], [reply]);
    const { events, thrown } = await tell(model);

    expect(events).toEqual([retrying(2, 200_000)]);
    expect(thrown).toMatchObject({ code: 'MODEL_FAILED', detail: { tries: 2, retryAfterMs: 200_000 } });
    expect(model.asked()).toBe(2);
  });

  test('does not try again what cannot be helped, and says so as it was said', async () => {
    for (const thrown of [
      new TypeError('a bug'),
      new HitlError('ABORTED', 'stopped'),
      new HitlError('MODEL_FAILED', 'x'),
    ]) {
      const model = playing([thrown], [reply]);

      expect(await tell(model)).toEqual({ events: [], thrown });
      expect(model.asked()).toBe(1);
    }
  });

  test('does not try again after the reply: its tools may be running', async () => {
    const model = playing([said, reply, failing()], [reply]);

    expect((await tell(model)).events).toEqual([said, reply]);
    expect(model.asked()).toBe(1);
  });

  test('throws the reason of the signal, not the failure that the abort caused', async () => {
    const stop = new AbortController();
    const model: Model = {
      id: 'm',
      async *generate() {
        yield said;
        stop.abort(new Error('enough'));
        throw failing();
      },
    };
    const asking = (async () => {
      for await (const event of withRetry(model, { clock: new ManualClock() }).generate(
        requestOf(),
        stop.signal,
      )) {
        expect(event).toEqual(said);
      }
    })();

    await expect(asking).rejects.toThrow('enough');
  });
});
