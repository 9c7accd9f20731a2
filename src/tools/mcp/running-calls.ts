import type { ToolContext } from '../../core/index.js';

/** A running call, or a prompt that a person chose. */
export interface RunningCall {
  readonly name: string;
  /** Stores its questions and answers. Absent: not stored. */
  readonly askAtOnce?: ToolContext['askAtOnce'];
}

/** Calls in progress at a server: an older one does not say which of them asks. */
export class RunningCalls {
  readonly #running = new Set<RunningCall>();
  #questions = 0;
  #over = new AbortController();

  /** Does work during which the server may ask questions. */
  async during<Result>(call: RunningCall, work: () => Promise<Result>): Promise<Result> {
    if (this.#running.size === 0) {
      this.#questions = 0;
      this.#over = new AbortController();
    }
    this.#running.add(call);
    try {
      return await work();
    } finally {
      this.#running.delete(call);
      if (this.#running.size === 0) this.#over.abort(new Error('its call has ended'));
    }
  }

  /** Aborts once none of them runs any more: no answer would reach the server's call. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The latest one; `undefined` if there is none. */
  get last(): RunningCall | undefined {
    return [...this.#running].at(-1);
  }

  /** Counts a question that the server asks; 1 for the first. */
  countQuestion(): number {
    this.#questions += 1;
    return this.#questions;
  }
}
