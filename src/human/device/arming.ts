/** Times of the rule that only a deliberate key decides, in milliseconds (G30). */
export interface ArmingTimes {
  /** Keys this soon after drawing are ignored, in milliseconds. Default: 300. */
  readonly deafMs: number;
  /** Quiet time required after an early key, in milliseconds. Default: 400. */
  readonly quietMs: number;
  /** The longest wait for that quiet. Default 1500. */
  readonly limitMs: number;
}

const TIMES: ArmingTimes = { deafMs: 300, quietMs: 400, limitMs: 1500 };

/**
 * Tells whether a key may decide: not within 300 ms of drawing, and when keys keep coming not before 400 ms of quiet,
 * for which it waits 1.5 s at most. A paste or a burst of keys never decides, and asks for quiet again.
 */
export class Arming {
  readonly #times: ArmingTimes;
  #readyAt: number;
  #limitAt: number;

  constructor(drawnAt: number, times: ArmingTimes = TIMES) {
    this.#times = times;
    this.#readyAt = drawnAt + times.deafMs;
    this.#limitAt = drawnAt + times.limitMs;
  }

  /** Whether a single key at this time may decide. */
  accepts(at: number): boolean {
    if (at >= this.#readyAt) return true;
    this.#wait(at);
    return false;
  }

  /** Registers a paste or simultaneous keys, which never decide. */
  disturb(at: number): void {
    if (at >= this.#readyAt) this.#limitAt = at + this.#times.limitMs;
    this.#wait(at);
  }

  /** Restarts the timing, as after the first drawing. */
  restart(drawnAt: number): void {
    this.#readyAt = drawnAt + this.#times.deafMs;
    this.#limitAt = drawnAt + this.#times.limitMs;
  }

  #wait(at: number): void {
    this.#readyAt = Math.min(Math.max(this.#readyAt, at + this.#times.quietMs), this.#limitAt);
  }
}
