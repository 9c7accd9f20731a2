import type { LiveEvent, RunResult } from '../../core/index.js';

// Invariants:
// R1 The work goes at its own pace: it waits for no reader, and nobody who leaves a loop stops it.
// R2 Every reader gets every event from the first, in one order, and at the end what the work threw.

/** Performs a run's work and reports its events. */
export type Work<Result> = (tell: (event: LiveEvent) => void) => Promise<Result>;

/**
 * A run in progress, which is both a promise of its result and a stream of its events. Use `await`, `for
 * await`, or both. Each loop starts with the first event.
 */
export class LiveRun<Result = RunResult> implements Promise<Result>, AsyncIterable<LiveEvent> {
  readonly [Symbol.toStringTag] = 'LiveRun';
  readonly #told: LiveEvent[] = [];
  readonly #rest: Promise<Result>;
  #isOver = false;
  #waiting: (() => void)[] = [];

  constructor(work: Work<Result>) {
    this.#rest = this.#follow(work);
  }

  then<Done = Result, Failed = never>(
    onRest?: ((result: Result) => Done | PromiseLike<Done>) | null,
    onFailure?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#rest.then(onRest, onFailure);
  }

  catch<Failed = never>(
    onFailure?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.#rest.catch(onFailure);
  }

  finally(onEnd?: (() => void) | null): Promise<Result> {
    return this.#rest.finally(onEnd);
  }

  [Symbol.asyncIterator](): AsyncGenerator<LiveEvent, void, undefined> {
    this.#rest.catch(() => undefined); // the loop throws it
    return this.#read();
  }

  async *#read(): AsyncGenerator<LiveEvent, void, undefined> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#told.length && !this.#isOver)
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
      const event = this.#told[next];
      if (event === undefined) break;
      yield event;
    }
    await this.#rest;
  }

  async #follow(work: Work<Result>): Promise<Result> {
    await Promise.resolve(); // whoever began it has it in hand before anything happens
    try {
      return await work((event) => {
        this.#told.push(event);
        this.#wake();
      });
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
