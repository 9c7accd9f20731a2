// Invariants:
// Q1 A flush covers everything that was written before it began; whoever waits shares the next one that begins.
// Q2 One flush runs at a time. One that fails takes those with it that wait for the next one.
// Q3 A flush that nobody wants at once begins with the next one that somebody does, at the latest when this turn of
//    the event loop ends.

/** A flush that has not begun, and those who wait for it. */
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

/** Flushes that are shared by those who wait for them. */
export class FlushQueue {
  readonly #flush: () => Promise<void>;
  #next: Waiting | undefined;
  /** The next flush is not put off any longer. */
  #isWanted = false;
  #running: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /**
   * Waits for a flush of everything that is written now. Rejects as the flush does, or the one before it (Q2).
   * @param lazily it may be put off (Q3).
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

  /** True while a flush is on its way or put off. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#next !== undefined;
  }

  /** Flushes what was put off, and waits until no flush is on its way. Never rejects: those who wait are told. */
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

  /** The next flush, unless it is put off. */
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
