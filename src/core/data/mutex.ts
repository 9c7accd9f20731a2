/** Wraps a function so that it runs only when it is called for the first time. */
export function once<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    act(...args);
  };
}

/**
 * Waits until `resolve` is called, or rejects with the signal's reason if it aborts first. Calls `over` in
 * both cases.
 */
export function untilResolved<T>(
  signal: AbortSignal,
  keep: (resolve: (value: T) => void) => void,
  over: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', abort);
      over();
    };
    const abort = () => {
      end();
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
    signal.addEventListener('abort', abort, { once: true });
    keep((value) => {
      end();
      resolve(value);
    });
  });
}

/** A lock that is held by one caller at a time and granted in the order of the requests. */
export class Mutex {
  #held = false;
  readonly #waiting = new Set<() => void>();

  /**
   * Acquires the lock and resolves with its release function; rejects with the signal's reason if it aborts
   * first.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#held) await this.#wait(signal);
    this.#held = true;
    return once(() => {
      this.#release();
    });
  }

  #wait(signal: AbortSignal): Promise<void> {
    let enter = (): void => undefined;
    return untilResolved(
      signal,
      (resolve) => {
        enter = resolve;
        this.#waiting.add(enter);
      },
      () => {
        this.#waiting.delete(enter);
      },
    );
  }

  #release(): void {
    const [next] = this.#waiting;
    // It stays held on the way to the next holder, so that nobody slips in between.
    if (next === undefined) this.#held = false;
    else next();
  }
}

/** Resolves to true if the wait succeeded, and to false if it was aborted or failed. */
export async function hasPassed(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
