import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { Watchdog } from '../../src/models/stream-watchdog.js';
import { ManualClock } from './manual-clock.js';

const never = new AbortController().signal;

describe('the watchdog of a stream', () => {
  test('does not watch before the first sign of life', async () => {
    const clock = new ManualClock();
    const watch = new Watchdog(1000, clock, never);
    clock.advance(5000);
    await turn();

    expect([watch.signal.aborted, watch.silent, clock.waiting]).toEqual([false, false, 0]);
    await watch.stop();
  });

  test('aborts after exactly the silence that was set, counted from the last sign', async () => {
    const clock = new ManualClock();
    const watch = new Watchdog(1000, clock, never);
    watch.heard();
    clock.advance(900);
    watch.heard();
    clock.advance(999);
    await turn();
    expect(watch.silent).toBe(false);

    clock.advance(1);
    await turn();
    expect([watch.silent, watch.signal.aborted]).toEqual([true, true]);
    expect(watch.signal.reason).toEqual(new Error('silent for 1000 ms'));
    await watch.stop();
  });

  test('sleeps once a period, however much is heard in it', async () => {
    const clock = new ManualClock();
    const watch = new Watchdog(1000, clock, never);
    for (let sign = 0; sign < 500; sign += 1) watch.heard();

    expect(clock.slept).toEqual([1000]);
    await watch.stop();
  });

  test('leaves nothing waiting when it is stopped, and never aborts after that', async () => {
    const clock = new ManualClock();
    const watch = new Watchdog(1000, clock, never);
    watch.heard();
    await watch.stop();
    clock.advance(5000);
    await turn();

    expect([clock.waiting, watch.silent, watch.signal.aborted]).toEqual([0, false, false]);
  });

  test('passes an abort from outside on, and does not take it for silence', async () => {
    const stop = new AbortController();
    const watch = new Watchdog(1000, new ManualClock(), stop.signal);
    watch.heard();
    stop.abort(new Error('enough'));

    expect([watch.signal.aborted, watch.silent]).toEqual([true, false]);
    expect(watch.signal.reason).toEqual(new Error('enough'));
    await watch.stop();
  });

  test('ends the stream where its clock fails', async () => {
    const clock = {
      now: () => 0,
      sleep: async () => {
        throw new Error('no time');
      },
    };
    const watch = new Watchdog(1000, clock, never);
    watch.heard();
    await turn();

    expect(watch.signal.reason).toEqual(new Error('no time'));
    await watch.stop();
  });
});
