/**
 * Waits for promises, one at a time, unless the signal aborts: then a wait ends with its reason at once. One
 * listener serves all waits, because a stream waits for every piece. In Node 20, a read never settles if its
 * fetch is aborted after the last byte arrived.
 */
export class UnlessAborted {
  readonly #signal: AbortSignal;
  #giveUp: ((reason: Error) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#giveUp?.(reasonOf(signal)), { once: true });
  }

  /** Waits for a promise. Only one wait may be active. */
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
