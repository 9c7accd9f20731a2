import { describe, expect, test, vi } from 'vitest';

import { followSignal } from '../../src/engine/follow-signal.js';
import { watchBody } from '../../src/engine/body-watch.js';
import { fakeClock } from '../../src/testing/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, drive, scene, tool } from './drive.js';

const look = tool('look', () => 'seen');

describe('a controller that follows a signal', () => {
  test('aborts with it, for its reason', () => {
    const leader = new AbortController();
    const { controller } = followSignal(leader.signal);
    expect(controller.signal.aborted).toBe(false);
    leader.abort('why');
    expect(controller.signal.reason).toBe('why');
  });

  test('of a signal that has aborted has aborted', () => {
    expect(followSignal(AbortSignal.abort('why')).controller.signal.reason).toBe('why');
  });

  test('that was released does not follow, and may abort alone', () => {
    const leader = new AbortController();
    const { controller, release } = followSignal(leader.signal);
    release();
    leader.abort();
    expect(controller.signal.aborted).toBe(false);
    const alone = followSignal(new AbortController().signal).controller;
    alone.abort('enough');
    expect(alone.signal.reason).toBe('enough');
  });
});

describe('the watch over a body', () => {
  test('makes no timer where nothing has to be stopped', () => {
    const clock = fakeClock();
    const watch = watchBody(look, clock, new AbortController().signal);
    expect(clock.sleeping).toBe(0);
    watch.end();
    expect(watch.signal.aborted).toBe(false);
  });

  test('leaves no timer behind, however it ends', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const watch = watchBody({ ...look, timeoutMs: 50 }, clock, stop.signal);
    expect(clock.sleeping).toBe(1);
    stop.abort();
    expect(clock.sleeping).toBe(2);
    watch.end();
    await clock.advance(10_000);
    expect(clock.sleeping).toBe(0);
  });

  test('over a body that was stopped before it began is overdue after the grace too', async () => {
    const clock = fakeClock();
    const watch = watchBody(look, clock, AbortSignal.abort());
    const told = vi.fn();
    void watch.overdue.then(told);
    await clock.advance(2_000);
    expect(told).toHaveBeenCalledOnce();
  });

  test('is overdue when the grace after a stop is over', async () => {
    const clock = fakeClock();
    const watch = watchBody({ ...look, timeoutMs: 50 }, clock, new AbortController().signal);
    const told = vi.fn();
    void watch.overdue.then(told);
    await clock.advance(50);
    expect(watch.signal.reason).toMatchObject({ code: 'ABORTED', message: 'no result within 50 ms' });
    await clock.advance(1_999);
    expect(told).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(told).toHaveBeenCalledOnce();
  });
});

describe('a run of many rounds', () => {
  test('leaves no listener on the signal that it was given', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const rounds = Array.from({ length: 30 }, (_, index) => calls(['look', {}, `r${index}`]));
    await drive(stateAfter(userSaid('hi')), scene({ replies: [...rounds, 'done'], tools: [look] }), {
      signal,
    });
    expect(added).toHaveBeenCalledOnce();
    expect(removed.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
      added.mock.calls.map(([type, listener]) => [type, listener]),
    );
  });
});
