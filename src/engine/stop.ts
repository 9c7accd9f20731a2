import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';

/** The method that a stop calls on its followers. */
interface Follower {
  abort(reason: unknown): void;
}

/**
 * Stops a run and its parts, either directly, or when a signal aborts or the parent stops. Following is
 * cheap: each signal gets a single listener no matter how many stops follow it. Node would print a leak
 * warning for more than ten listeners.
 */
export class Stop implements Disposable {
  /** Created with the first follower; most stops never have any. */
  #followers: Set<Follower> | undefined;
  #around: Stop | undefined;
  #unlisten: (() => void) | undefined;
  #controller: AbortController | undefined;
  #isPulled = false;
  #reason: unknown;

  /** Creates a stop that follows a signal and passes on its reason. */
  static following(signal: AbortSignal): Stop {
    const stop = new Stop();
    const follow = (): void => {
      stop.abort(signal.reason);
    };
    if (signal.aborted) follow();
    else {
      signal.addEventListener('abort', follow, { once: true });
      stop.#unlisten = () => {
        signal.removeEventListener('abort', follow);
      };
    }
    return stop;
  }

  /** Creates a stop that follows this one. */
  child(): Stop {
    return this.lead(new Stop());
  }

  /**
   * Makes a stop follow this one until it is released. If this one has already stopped, stops the child
   * immediately.
   */
  lead<Child extends Stop>(child: Child): Child {
    if (this.#isPulled) child.abort(this.#reason);
    else {
      this.#follow(child);
      child.#around = this;
    }
    return child;
  }

  get aborted(): boolean {
    return this.#isPulled;
  }

  /** The reason for the stop; `undefined` until it stops, or if no reason was given. */
  get reason(): unknown {
    return this.#reason;
  }

  /**
   * A signal that aborts with this stop. It is created on first use, because signals are expensive and most
   * tools do not use them.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isPulled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Stops this and all followers. Only the first call has an effect. */
  abort(reason?: unknown): void {
    if (this.#isPulled) return;
    this.#isPulled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const follower of this.#followers ?? []) follower.abort(reason);
  }

  /** Calls `follower` when this stops, or immediately if it has already stopped. */
  onAbort(follower: () => void): void {
    if (this.#isPulled) follower();
    else this.#follow({ abort: follower });
  }

  /** Removes a follower. */
  forget(follower: Follower): void {
    this.#followers?.delete(follower);
  }

  /** Stops following. */
  release(): void {
    this.#unlisten?.();
    this.#around?.forget(this);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #follow(follower: Follower): void {
    this.#followers ??= new Set();
    this.#followers.add(follower);
  }
}

/** How long a body may take to stop after being told to, in milliseconds. */
const GRACE_MS = 2_000;

/** Settings for watching a body. */
export interface WatchOptions {
  /** The body's time limit. Default: none. */
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  /** Called if the body keeps running after it was told to stop. */
  readonly onOverdue: () => void;
}

/** Watches one run of the body of a tool or node, and enforces its time limit (`timeoutMs`). */
export interface BodyWatch {
  /** Aborts with the run, or with a `TimeLimitError` after the body's time limit. */
  readonly stop: Stop;
  /** Ends the watch once the body has settled or been abandoned. */
  end(): void;
}

/** Watches one run of a body. Creates errors and timers only when they are needed. */
export function watchBody(options: WatchOptions, around: Stop): BodyWatch {
  const watch = around.lead(new WatchedStop(options));
  watch.begin();
  return watch;
}

/** A stop and a watch in one object, because every call needs both. */
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

  /** Starts the timer for the body's time limit. */
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

/** The reason given for a stop when a body exceeds its time limit. */
export class TimeLimitError extends HitlError {
  constructor(timeoutMs: number) {
    super('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } });
  }
}
