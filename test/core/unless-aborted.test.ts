import { describe, expect, test, vi } from 'vitest';

import { UnlessAborted } from '../../src/core/data/unless-aborted.js';

const never = new Promise<string>(() => {});

describe('waiting for promises unless a signal aborts', () => {
  test('brings what each promise brings', async () => {
    const unless = new UnlessAborted(new AbortController().signal);

    expect(await unless.wait(Promise.resolve('x'))).toBe('x');
    await expect(unless.wait(Promise.reject(new Error('y')))).rejects.toThrow('y');
    expect(await unless.wait(Promise.resolve('z'))).toBe('z');
  });

  test('ends with the reason of the signal, though the promise never settles', async () => {
    const stop = new AbortController();
    const unless = new UnlessAborted(stop.signal);
    await unless.wait(Promise.resolve('x'));
    const waiting = unless.wait(never);
    stop.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    await expect(unless.wait(never)).rejects.toThrow('enough');
  });

  test('listens once, however often it waits', async () => {
    const { signal } = new AbortController();
    const listen = vi.spyOn(signal, 'addEventListener');
    const unless = new UnlessAborted(signal);
    for (let piece = 0; piece < 100; piece += 1) await unless.wait(Promise.resolve(piece));

    expect(listen).toHaveBeenCalledTimes(1);
  });

  test('makes an error of a reason that is none', async () => {
    await expect(new UnlessAborted(AbortSignal.abort('why')).wait(never)).rejects.toEqual(
      new Error('aborted', { cause: 'why' }),
    );
  });

  test('takes a failure after the abort without a word', async () => {
    let fail = (_reason: Error): void => {};
    const late = new Promise<string>((_, reject) => {
      fail = reject;
    });
    const waiting = new UnlessAborted(AbortSignal.abort(new Error('enough'))).wait(late);
    fail(new Error('too late'));

    await expect(waiting).rejects.toThrow('enough');
  });
});
