import { describe, expect, test } from 'vitest';

import { orAborted } from '../../src/models/or-aborted.js';

const never = new Promise<string>(() => {});

describe('waiting for a promise or an abort', () => {
  test('brings what the promise brings', async () => {
    const { signal } = new AbortController();

    expect(await orAborted(Promise.resolve('x'), signal)).toBe('x');
    await expect(orAborted(Promise.reject(new Error('y')), signal)).rejects.toThrow('y');
  });

  test('ends with the reason of the signal, though the promise never settles', async () => {
    const stop = new AbortController();
    const waiting = orAborted(never, stop.signal);
    stop.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    await expect(orAborted(never, stop.signal)).rejects.toThrow('enough');
  });

  test('makes an error of a reason that is none', async () => {
    await expect(orAborted(never, AbortSignal.abort('why'))).rejects.toEqual(
      new Error('aborted', { cause: 'why' }),
    );
  });

  test('takes a failure after the abort without a word', async () => {
    let fail = (_reason: Error): void => {};
    const late = new Promise<string>((_, reject) => {
      fail = reject;
    });
    const waiting = orAborted(late, AbortSignal.abort(new Error('enough')));
    fail(new Error('too late'));

    await expect(waiting).rejects.toThrow('enough');
  });
});
