// Invariants:
// Q1 A flush covers everything that was written before it began; whoever waits shares the next one that begins.
// Q2 One flush runs at a time. One that fails takes those with it that wait for the next one.
// Q3 A flush that nobody wants at once begins with the next one that somebody does, at the latest when this turn of
//    the event loop ends.

/** A flush that has not started, with the callers that wait for it. */
interface Waiting {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function waiting(): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const done = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { done, resolve, reject };
}

/** A queue of flushes. Callers that write at about the same time share a flush. */
export class FlushQueue {
  readonly #flush: () => Promise<void>;
  #next: Waiting | undefined;
  /** Whether the next flush should start without further delay. */
  #isWanted = false;
  #running: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /**
   * Waits for a flush of all bytes written so far. Rejects if that flush or the previous one fails (Q2).
   * @param lazily whether the flush may be delayed (Q3).
   */
  flushed(lazily: boolean): Promise<void> {
    if (this.#next === undefined) {
      this.#next = waiting();
      if (lazily) {
        setImmediate(() => {
          this.#begin();
        });
      }
    }
    const { done } = this.#next;
    if (!lazily) this.#begin();
    return done;
  }

  /** Whether a flush is running or delayed. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#next !== undefined;
  }

  /**
   * Starts a delayed flush, and waits until no flush is running. Never rejects, because errors are reported
   * to the callers of `flushed`.
   */
  async idle(): Promise<void> {
    this.#begin();
    await this.#running;
  }

  #begin(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // what is written in the same breath shares the first flush
    for (let next = this.#wanted(); next !== undefined; next = this.#wanted()) {
      try {
        await this.#flush();
        next.resolve();
      } catch (error) {
        next.reject(error);
        this.#take()?.reject(error); // Q2
      }
    }
    this.#running = undefined;
  }

  /** Returns the next flush, unless it is postponed. */
  #wanted(): Waiting | undefined {
    return this.#isWanted ? this.#take() : undefined;
  }

  #take(): Waiting | undefined {
    const next = this.#next;
    this.#next = undefined;
    this.#isWanted = false;
    return next;
  }
}
