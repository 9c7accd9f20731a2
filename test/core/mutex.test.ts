import { describe, expect, test } from 'vitest';

import { Mutex } from '../../src/core/data/mutex.js';

const never = new AbortController().signal;

describe('a mutex', () => {
  test('lets holders in one by one, in the order in which they came', async () => {
    const mutex = new Mutex();
    const order: number[] = [];
    const hold = async (number: number) => {
      const release = await mutex.acquire(never);
      order.push(number);
      await Promise.resolve();
      order.push(number);
      release();
    };
    await Promise.all([hold(1), hold(2), hold(3)]);
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('releasing twice lets one in', async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire(never);
    const second = mutex.acquire(never);
    const third = mutex.acquire(AbortSignal.timeout(20));
    release();
    release();
    await second;
    await expect(third).rejects.toThrow('timeout');
  });

  test('a reason that is no error becomes one', async () => {
    const mutex = new Mutex();
    await mutex.acquire(never);
    const leaving = new AbortController();
    const waiting = mutex.acquire(leaving.signal);
    leaving.abort('enough');
    await expect(waiting).rejects.toThrow('enough');
  });

  test('a signal that is aborted before never gets in', async () => {
    await expect(new Mutex().acquire(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });
});
