/** How much time is left for some work; its parts share it in turn. */
export class Budget {
  #end;
  #now;

  /** @param now milliseconds of a clock that never goes back */
  constructor(ms, now = () => performance.now()) {
    this.#now = now;
    this.#end = now() + ms;
  }

  /** Whether something that takes so long ends in time. */
  has(ms) {
    return this.#now() + ms <= this.#end;
  }

  /** A part of what is left now: what an earlier part did not need goes to the later ones. */
  part(fraction) {
    return new Budget(Math.max(0, this.#end - this.#now()) * fraction, this.#now);
  }
}
