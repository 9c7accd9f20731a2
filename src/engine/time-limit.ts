import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';
import type { Stop } from './stop.js';

/** The time that a body has to stop once it was told to, in milliseconds. */
const GRACE_MS = 2_000;

/** The settings of a watch over a body. */
export interface WatchOptions {
  /** The time that the body may take. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  /** Called when the body was told to stop and did not. */
  readonly onOverdue: () => void;
}

/** The watch over one run of a tool's body, or of a node's: it enforces the time limit (`timeoutMs`). */
export interface BodyWatch {
  /** Comes with that of the run, or when the body's time is up: with a `TimeLimitError` then. */
  readonly stop: Stop;
  /** Ends the watch; call it when the body has settled or was given up. */
  end(): void;
}

/** Watches over one run of a body. Nothing is thrown and no timer is made unless something has to be stopped. */
export function watchBody({ timeoutMs, clock, onOverdue }: WatchOptions, around: Stop): BodyWatch {
  const stop = around.child();
  let timers: AbortController | undefined;
  const after = (ms: number, then: () => void): void => {
    timers ??= new AbortController();
    clock.sleep(ms, timers.signal).then(then, () => undefined); // the watch has ended
  };
  stop.onAbort(() => {
    after(GRACE_MS, onOverdue);
  });
  if (timeoutMs !== undefined) {
    after(timeoutMs, () => {
      stop.abort(new TimeLimitError(timeoutMs));
    });
  }
  return {
    stop,
    end() {
      stop.release();
      timers?.abort();
    },
  };
}

/** The reason that a body is given when its time is up. */
export class TimeLimitError extends HitlError {
  constructor(timeoutMs: number) {
    super('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } });
  }
}
