/** Lets one holder in at a time, in the order in which they came. */
export class Mutex {
  #held = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves with the function that lets the next one in; rejects with the signal's reason when it aborts first. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#held) await this.#wait(signal);
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    // It stays held on the way to the next holder, so that nobody slips in between.
    if (next === undefined) this.#held = false;
    else next();
  }
}
