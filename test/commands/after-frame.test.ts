import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { afterFrame } from '../../commands/running/renderer.js';

describe('the frame of a terminal', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('ends after 16 ms, once, and leaves no listener behind', () => {
    const listeners = process.listenerCount('exit');
    const draw = vi.fn<() => void>();
    afterFrame(draw);
    vi.advanceTimersByTime(15);
    expect(draw).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);

    expect(draw).toHaveBeenCalledTimes(1);
    expect(process.listenerCount('exit')).toBe(listeners);
  });

  test('ends with the process where that ends before', () => {
    const before = process.listeners('exit');
    const draw = vi.fn<() => void>();
    afterFrame(draw);
    for (const listener of process.listeners('exit')) if (!before.includes(listener)) listener(0);
    vi.advanceTimersByTime(1000);

    expect(draw).toHaveBeenCalledTimes(1);
    expect(process.listeners('exit')).toEqual(before);
  });
});
