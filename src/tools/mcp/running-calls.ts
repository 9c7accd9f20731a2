import type { ToolContext } from '../../core/index.js';

/** A request to a server that is in progress: a tool call, or a prompt or resource that the user chose. */
export interface RunningCall {
  readonly name: string;
  /**
   * Stores the questions that the server asks during the call, and their answers. If absent, they are not
   * stored.
   */
  readonly askAtOnce?: ToolContext['askAtOnce'];
}

/**
 * The requests to a server that are in progress. They are tracked because older servers do not report which
 * call a question belongs to.
 */
export class RunningCalls {
  readonly #running = new Set<RunningCall>();
  #questions = 0;
  #over = new AbortController();

  /** Runs work during which the server may ask questions. */
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

  /** Aborts when the last running call ends, because an answer sent after that would not reach the server. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The call that started most recently, or `undefined` if none is running. */
  get last(): RunningCall | undefined {
    return [...this.#running].at(-1);
  }

  /** Counts a question from the server. Returns the number of questions so far. */
  countQuestion(): number {
    this.#questions += 1;
    return this.#questions;
  }
}
