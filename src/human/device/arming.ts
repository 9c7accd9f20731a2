/** Times of the rule that only a deliberate key decides, in milliseconds (G30). */
export interface ArmingTimes {
  /** Keys this soon after drawing are ignored, in milliseconds. Default: 300. */
  readonly deafMs: number;
  /** Quiet time required after an early key, in milliseconds. Default: 400. */
  readonly quietMs: number;
}

/** Keys of a paste without markers arrive in several reads, this close together. */
export const TOGETHER_MS = 30;

const TIMES: ArmingTimes = { deafMs: 300, quietMs: 400 };

/**
 * Tells whether a key may decide: not within 300 ms of drawing, and when keys keep coming not before 400 ms of quiet,
 * however long they come: a key that is held, or a text, decides nothing. A paste or a burst of keys never decides, and asks
 * for quiet again.
 */
export class Arming {
  readonly #times: ArmingTimes;
  #readyAt: number;

  constructor(drawnAt: number, times: ArmingTimes = TIMES) {
    this.#times = times;
    this.#readyAt = drawnAt + times.deafMs;
  }

  /** Whether a single key at this time may decide. */
  accepts(at: number): boolean {
    if (at >= this.#readyAt) return true;
    this.#wait(at);
    return false;
  }

  /** Registers a paste or simultaneous keys, which never decide. */
  disturb(at: number): void {
    this.#wait(at);
  }

  /** Restarts the timing, as after the first drawing. */
  restart(drawnAt: number): void {
    this.#readyAt = drawnAt + this.#times.deafMs;
  }

  #wait(at: number): void {
    this.#readyAt = Math.max(this.#readyAt, at + this.#times.quietMs);
  }
}
