import { describe, expect, test } from 'vitest';

import { fakeClock } from '../../src/testing/index.js';

const never = new AbortController().signal;

describe('a fake clock', () => {
  test('stands still until it is moved', async () => {
    const clock = fakeClock({ start: 1000 });
    expect(clock.now()).toBe(1000);
    await clock.advance(5);
    expect(clock.now()).toBe(1005);
  });

  test('starts at a known date', () => {
    expect(new Date(fakeClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  test('ends sleeps in the order of their ends, each at its own time', async () => {
    const clock = fakeClock({ start: 0 });
    const ended: unknown[] = [];
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms, never);
      ended.push([name, clock.now()]);
    };
    const all = Promise.all([sleep('late', 30), sleep('early', 10), sleep('later', 31)]);
    await clock.advance(30);
    expect(ended).toEqual([
      ['early', 10],
      ['late', 30],
    ]);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    await all;
    expect(clock.sleeping).toBe(0);
  });

  test('ends a sleep that begins while time moves on', async () => {
    const clock = fakeClock({ start: 0 });
    const twice = (async () => {
      await clock.sleep(10, never);
      await clock.sleep(10, never);
      return clock.now();
    })();
    await clock.advance(100);
    expect(await twice).toBe(20);
    expect(clock.now()).toBe(100);
  });

  test('rejects a sleep with the reason of its signal, and forgets it', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const sleep = clock.sleep(10, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(sleep).rejects.toThrow('stopped');
    expect(clock.sleeping).toBe(0);
    await expect(clock.sleep(10, stop.signal)).rejects.toThrow('stopped');
  });

  test('tells when somebody sleeps', async () => {
    const clock = fakeClock();
    const told = clock.untilSleeping(2);
    const sleeps = [clock.sleep(1, never), clock.sleep(2, never)];
    await told;
    await clock.untilSleeping(2);
    await clock.advance(2);
    await Promise.all(sleeps);
  });

  test('moves on by itself where it is told to', async () => {
    const clock = fakeClock({ start: 0, auto: true });
    await clock.sleep(1500, never);
    expect(clock.now()).toBe(1500);
  });
});
