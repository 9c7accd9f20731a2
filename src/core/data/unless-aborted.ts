/**
 * Waits for promises, one at a time. If the signal aborts, the current wait immediately rejects with the
 * signal's reason. All waits share one listener, because a stream waits for each of its chunks. Needed
 * because in Node 20, a read never settles if its fetch is aborted after the last byte has arrived.
 */
export class UnlessAborted {
  readonly #signal: AbortSignal;
  #giveUp: ((reason: Error) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#giveUp?.(reasonOf(signal)), { once: true });
  }

  /** Waits for a promise. Only one wait may be active at a time. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#signal.aborted) reject(reasonOf(this.#signal));
      promise.then(resolve, reject);
    });
  }
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
