import type { Clock, Shown } from '../core/index.js';
import { count, shown } from '../core/index.js';

/** Lines of one minute: whoever knocks all day fills no disk, and hides nobody. */
const MOST_LINES = 30;
const MINUTE_MS = 60_000;

/** Hears of sign-ins and refusals, so many lines a minute; how many were left out is a line of the next one. */
export class Log {
  readonly #clock: Clock;
  readonly #write: ((line: Shown) => void) | undefined;
  #since = 0;
  #lines = 0;

  constructor(clock: Clock, write: ((line: Shown) => void) | undefined) {
    this.#clock = clock;
    this.#write = write;
  }

  tell(line: Shown): void {
    const now = this.#clock.now();
    if (now - this.#since >= MINUTE_MS) {
      const leftOut = this.#lines - MOST_LINES;
      [this.#since, this.#lines] = [now, 0];
      if (leftOut > 0) this.#write?.(shown`${count(leftOut, 'more line')} like these in the minute before`);
    }
    this.#lines += 1;
    if (this.#lines <= MOST_LINES) this.#write?.(line);
  }
}
