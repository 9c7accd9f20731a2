/**
 * Waits for promises, one after the other, unless the signal aborts: then a wait ends with its reason at once, whatever
 * becomes of the promise. One listener serves all waits; a stream has one for each piece that comes.
 * In Node 20 a read never settles that waits when a fetch is aborted whose last byte has arrived.
 */
export class UnlessAborted {
  readonly #signal: AbortSignal;
  #giveUp: ((reason: Error) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#giveUp?.(reasonOf(signal)), { once: true });
  }

  /** Waits for what the promise brings. No other wait may be under way. */
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
