/** The calls that run at a server now: an older one does not say which of them it asks for. */
export class RunningCalls {
  #count = 0;
  #questions = 0;
  #last = '';

  /** Does work that the server may ask something for. */
  async during<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#count === 0) this.#questions = 0;
    this.#count += 1;
    this.#last = name;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }

  /** The one that was begun last; `undefined` where none runs. */
  get name(): string | undefined {
    return this.#count === 0 ? undefined : this.#last;
  }

  /** Counts a question that the server asks; 1 for the first. */
  countQuestion(): number {
    this.#questions += 1;
    return this.#questions;
  }
}
