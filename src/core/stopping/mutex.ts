import { once } from './once.js';
import { untilResolved } from './until-resolved.js';

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
