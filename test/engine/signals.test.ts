import { getEventListeners } from 'node:events';

import { describe, expect, test, vi } from 'vitest';

import { watchBody } from '../../src/engine/stop.js';
import { Stop } from '../../src/engine/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, drive, scene, tool } from './drive.js';

const look = tool('look', () => 'seen');

describe('a stop', () => {
  test('comes with its signal, for its reason', () => {
    const leader = new AbortController();
    const stop = Stop.following(leader.signal);
    expect(stop.aborted).toBe(false);
    leader.abort('why');
    expect([stop.aborted, stop.reason, stop.signal.aborted, stop.signal.reason]).toEqual([
      true,
      'why',
      true,
      'why',
    ]);
  });

  test('of a signal that has aborted has come', () => {
    const stop = Stop.following(AbortSignal.abort('why'));
    expect([stop.aborted, stop.reason, stop.signal.reason]).toEqual([true, 'why', 'why']);
  });

  test('that was released does not follow, and may come alone', () => {
    const leader = new AbortController();
    const stop = Stop.following(leader.signal);
    stop.release();
    leader.abort();
    expect(stop.aborted).toBe(false);
    stop.abort('enough');
    stop.abort('again');
    expect([stop.reason, stop.signal.reason]).toEqual(['enough', 'enough']);
  });

  test('without a reason aborts its signal as any does', () => {
    const stop = Stop.following(new AbortController().signal);
    const { signal } = stop;
    stop.abort();
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
  });

  test('of many children listens to its signal once, and all of them come with its reason', () => {
    const parent = new AbortController();
    const stop = Stop.following(parent.signal);
    const children = Array.from({ length: 100 }, () => stop.child());
    const signals = children.map(({ signal }) => signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    parent.abort('enough');
    const late = stop.child();
    expect([...signals, late.signal].map(({ reason }) => reason as unknown)).toEqual(
      Array(101).fill('enough'),
    );
    expect(late.reason).toBe('enough');
  });

  test('of a child leaves the rest alone, and a child that was released', () => {
    const stop = Stop.following(new AbortController().signal);
    const [first, second, released] = [stop.child(), stop.child(), stop.child()];
    first.abort('mine');
    expect([stop.aborted, second.aborted]).toEqual([false, false]);
    released.release();
    stop.abort('all');
    expect([first.reason, second.reason, released.aborted]).toEqual(['mine', 'all', false]);
  });

  test('tells who asks to be told, also when it has come', () => {
    const stop = Stop.following(new AbortController().signal);
    const told = vi.fn<() => void>();
    stop.onAbort(told);
    expect(told).not.toHaveBeenCalled();
    stop.abort();
    stop.onAbort(told);
    expect(told).toHaveBeenCalledTimes(2);
  });
});

describe('the watch over a body', () => {
  function watched(timeoutMs?: number, signal = new AbortController().signal) {
    const clock = fakeClock();
    const onOverdue = vi.fn<() => void>();
    return { clock, onOverdue, watch: watchBody({ timeoutMs, clock, onOverdue }, Stop.following(signal)) };
  }

  test('makes no timer where nothing has to be stopped', () => {
    const { clock, watch } = watched();
    expect(clock.sleeping).toBe(0);
    watch.end();
    expect(watch.stop.aborted).toBe(false);
  });

  test('leaves no timer behind, however it ends', async () => {
    const stop = new AbortController();
    const { clock, watch } = watched(50, stop.signal);
    expect(clock.sleeping).toBe(1);
    stop.abort();
    expect(clock.sleeping).toBe(2);
    watch.end();
    await clock.advance(10_000);
    expect(clock.sleeping).toBe(0);
  });

  test('over a body that was stopped before it began is overdue after the grace too', async () => {
    const { clock, onOverdue } = watched(undefined, AbortSignal.abort());
    await clock.advance(2_000);
    expect(onOverdue).toHaveBeenCalledOnce();
  });

  test('is overdue when the grace after a stop is over', async () => {
    const { clock, onOverdue, watch } = watched(50);
    await clock.advance(50);
    expect(watch.stop.reason).toMatchObject({ code: 'ABORTED', message: 'no result within 50 ms' });
    await clock.advance(1_999);
    expect(onOverdue).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(onOverdue).toHaveBeenCalledOnce();
  });
});

test('a copy of the context of a call has its signal too', async () => {
  const seen: boolean[] = [];
  const look = tool('look', (_input, context) => {
    const copy = { ...context };
    seen.push(copy.signal === context.signal, copy.signal.aborted);
    return 'seen';
  });
  await drive(stateAfter(userSaid('hi')), scene({ replies: [calls(['look']), 'done'], tools: [look] }));
  expect(seen).toEqual([true, false]);
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
