import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';

/** The part of a stop used by its source. */
interface Follower {
  abort(reason: unknown): void;
}

/**
 * Stops a run and its parts: with a signal, with its parent, or on its own. Following is cheap, and a signal
 * gets one listener however many follow: Node reports more than ten as a leak, on the terminal.
 */
export class Stop implements Disposable {
  /** Created with the first follower, which most stops never have. */
  #followers: Set<Follower> | undefined;
  #around: Stop | undefined;
  #unlisten: (() => void) | undefined;
  #controller: AbortController | undefined;
  #isPulled = false;
  #reason: unknown;

  /** Creates a stop that follows a signal, with its reason. */
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

  /** Lets a stop follow this one, immediately if already stopped; until it is released. */
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

  /** Reason of the stop; `undefined` before it, or without one. */
  get reason(): unknown {
    return this.#reason;
  }

  /**
   * A signal that aborts with it. Created on first use: most tools do not use it, and signals are expensive.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isPulled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Stops all followers. Only the first call has an effect. */
  abort(reason?: unknown): void {
    if (this.#isPulled) return;
    this.#isPulled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const follower of this.#followers ?? []) follower.abort(reason);
  }

  /** Calls `follower` on the stop, immediately if already stopped. */
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

/** Time for a body to stop after it was told to, in milliseconds. */
const GRACE_MS = 2_000;

/** The settings of a watch over a body. */
export interface WatchOptions {
  /** Time limit of the body. Default: none. */
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  /** Called if the body ignored its stop. */
  readonly onOverdue: () => void;
}

/** The watch over one run of a tool's body, or of a node's: it enforces the time limit (`timeoutMs`). */
export interface BodyWatch {
  /** Aborts with the run, or with a `TimeLimitError` after the body's time limit. */
  readonly stop: Stop;
  /** Ends the watch, when the body has settled or was abandoned. */
  end(): void;
}

/** Watches one run of a body. Creates no error or timer unless something has to be stopped. */
export function watchBody(options: WatchOptions, around: Stop): BodyWatch {
  const watch = around.lead(new WatchedStop(options));
  watch.begin();
  return watch;
}

/** A body's stop and its watch in one object, because every call needs one. */
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

  /** Starts the body's time limit. */
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

/** Reason of a body's time limit. */
export class TimeLimitError extends HitlError {
  constructor(timeoutMs: number) {
    super('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } });
  }
}
