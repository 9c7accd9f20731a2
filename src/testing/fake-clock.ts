import { setImmediate as turn } from 'node:timers/promises';

import type { Clock } from '../core/index.js';
import { untilResolved } from '../core/index.js';

/** A clock controlled by a test. */
export interface FakeClock extends Clock {
  /** Number of sleeps that have not ended. */
  readonly sleeping: number;
  /** Advances the time. Sleeps that become due end in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Resolves as soon as this many sleeps are waiting. Default: 1. */
  untilSleeping(count?: number): Promise<void>;
}

/** Options for `fakeClock`: its start time, and whether sleeps advance it. */
export interface FakeClockOptions {
  /** Start time, in milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  readonly start?: number;
  /** Whether a sleep advances the time and ends at once. Default: false. */
  readonly auto?: boolean;
}

interface Sleep {
  readonly end: number;
  readonly wake: () => void;
}

/** Creates a clock for tests. */
export function fakeClock({ start = Date.UTC(2026, 0, 1), auto = false }: FakeClockOptions = {}): FakeClock {
  let time = start;
  let sleeps: readonly Sleep[] = [];
  let watchers: readonly { readonly count: number; readonly tell: () => void }[] = [];

  function tellWatchers(): void {
    const ready = watchers.filter(({ count }) => sleeps.length >= count);
    watchers = watchers.filter((watcher) => !ready.includes(watcher));
    for (const { tell } of ready) tell();
  }

  async function sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (auto) {
      time += ms;
      return;
    }
    let entry: Sleep;
    return untilResolved(
      signal,
      (wake) => {
        entry = { end: time + ms, wake };
        sleeps = [...sleeps, entry];
        tellWatchers();
      },
      () => {
        sleeps = sleeps.filter((other) => other !== entry);
      },
    );
  }

  async function advance(ms: number): Promise<void> {
    const target = time + ms;
    for (;;) {
      const due = sleeps.filter(({ end }) => end <= target).sort((left, right) => left.end - right.end)[0];
      if (due === undefined) break;
      time = Math.max(time, due.end);
      due.wake();
      await turn(); // everything that was just woken runs as far as it can without time
    }
    time = target;
  }

  return {
    now: () => time,
    correct: () => 0, // a test says what time it is, also on a store that several machines share
    sleep,
    advance,
    get sleeping() {
      return sleeps.length;
    },
    async untilSleeping(count = 1) {
      if (sleeps.length >= count) return;
      await new Promise<void>((tell) => {
        watchers = [...watchers, { count, tell }];
      });
    },
  };
}
