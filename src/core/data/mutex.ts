/** Runs the function at the first call only. */
export function once<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    act(...args);
  };
}

/**
 * Waits for a call of `resolve`; rejects with the signal's reason if it aborts first. `over` is called in
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

/** Lets one holder in at a time, in the order in which they came. */
export class Mutex {
  #held = false;
  readonly #waiting = new Set<() => void>();

  /** Resolves with the function that lets the next one in; rejects with the signal's reason when it aborts first. */
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

/** True once the wait succeeded; false if it was aborted or failed. */
export async function hasPassed(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
