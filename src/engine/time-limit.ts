import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { Stop } from './stop.js';

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
export function watchBody(options: WatchOptions, around: Stop): BodyWatch {
  const watch = around.lead(new WatchedStop(options));
  watch.begin();
  return watch;
}

/** The stop of a body, and the watch over it in one: there is one for each call. */
class WatchedStop extends Stop implements BodyWatch {
  readonly #options: WatchOptions;
  #timers: AbortController | undefined;

  constructor(options: WatchOptions) {
    super();
    this.#options = options;
  }

  get stop(): Stop {
    return this;
  }

  /** Lets the time of the body run. */
  begin(): void {
    const { timeoutMs } = this.#options;
    if (timeoutMs === undefined) return;
    this.#after(timeoutMs, () => {
      this.abort(new TimeLimitError(timeoutMs));
    });
  }

  override abort(reason?: unknown): void {
    if (this.aborted) return;
    super.abort(reason);
    this.#after(GRACE_MS, this.#options.onOverdue);
  }

  end(): void {
    this.release();
    this.#timers?.abort();
  }

  #after(ms: number, then: () => void): void {
    this.#timers ??= new AbortController();
    this.#options.clock.sleep(ms, this.#timers.signal).then(then, () => undefined); // the watch has ended
  }
}

/** The reason that a body is given when its time is up. */
export class TimeLimitError extends HitlError {
  constructor(timeoutMs: number) {
    super('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } });
  }
}
