import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';

/** The part of a stop that the one which it follows needs. */
interface Follower {
  abort(reason: unknown): void;
}

/**
 * The stop of a run and of its parts: it comes with that of a signal or of the part around it, or before. To follow it
 * costs next to nothing, and however many do, a signal is listened to once: more than ten listeners are taken for a
 * leak, and a warning goes to the terminal.
 */
export class Stop implements Disposable {
  /** Absent before the first: nothing follows most stops. */
  #followers: Set<Follower> | undefined;
  #around: Stop | undefined;
  #unlisten: (() => void) | undefined;
  #controller: AbortController | undefined;
  #isPulled = false;
  #reason: unknown;

  /** A stop that comes when `signal` aborts, with its reason. */
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

  /** A stop that comes with this one, or before it. */
  child(): Stop {
    return this.lead(new Stop());
  }

  /** Has a stop come with this one, at once where it has come; until it is released. */
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

  /** The reason of the stop; `undefined` before it, and where nobody gave one. */
  get reason(): unknown {
    return this.#reason;
  }

  /** A signal that aborts with it. Made when it is first asked for: most tools never look, and signals are dear. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isPulled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Stops what follows. Without effect the second time. */
  abort(reason?: unknown): void {
    if (this.#isPulled) return;
    this.#isPulled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const follower of this.#followers ?? []) follower.abort(reason);
  }

  /** Calls `follower` when it comes, at once where it has come. */
  onAbort(follower: () => void): void {
    if (this.#isPulled) follower();
    else this.#follow({ abort: follower });
  }

  /** Stops what it leads no more. */
  forget(follower: Follower): void {
    this.#followers?.delete(follower);
  }

  /** Follows nothing any more. */
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
