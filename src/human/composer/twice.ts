/** The time within which a second press counts, in milliseconds. */
const TWICE_MS = 1000;

/** A key that does more when it is pressed again soon. */
export class Twice {
  #at = Number.NEGATIVE_INFINITY;

  /** Takes a press at a time of the clock; true where it is the second one. */
  press(at: number): boolean {
    const isSecond = at - this.#at <= TWICE_MS;
    this.#at = isSecond ? Number.NEGATIVE_INFINITY : at;
    return isSecond;
  }

  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }
}
