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
