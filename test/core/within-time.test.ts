import { describe, expect, test } from 'vitest';

import { withinTime } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';

const never = new AbortController().signal;
const late = () => new Error('too late');

describe('work within a time', () => {
  test('gives what it comes to, and leaves no sleep behind', async () => {
    const clock = fakeClock();
    expect(await withinTime(async () => 7, { clock, ms: 10, late }, never)).toBe(7);
    expect(clock.sleeping).toBe(0);
  });

  test('throws what it throws', async () => {
    const clock = fakeClock();
    const fails = async () => Promise.reject(new Error('broken'));
    await expect(withinTime(fails, { clock, ms: 10, late }, never)).rejects.toThrow('broken');
    expect(clock.sleeping).toBe(0);
  });

  test('is given up after it, whatever it makes of its signal, which aborts', async () => {
    const clock = fakeClock();
    let given: AbortSignal | undefined;
    const deaf = async (signal: AbortSignal) => {
      given = signal;
      return new Promise<never>(() => {});
    };
    const failed = expect(withinTime(deaf, { clock, ms: 10, late }, never)).rejects.toThrow('too late');
    await clock.advance(10);
    await failed;
    expect(given?.reason).toEqual(new Error('too late'));
  });

  test('ends with an abort, and is not begun after one', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const deaf = async () => new Promise<never>(() => {});
    const failed = expect(withinTime(deaf, { clock, ms: 10, late }, stop.signal)).rejects.toThrow('stopped');
    stop.abort(new Error('stopped'));
    await failed;
    let begun = false;
    const work = async () => {
      begun = true;
    };
    await expect(withinTime(work, { clock, ms: 10, late }, stop.signal)).rejects.toThrow('stopped');
    expect(begun).toBe(false);
  });
});
