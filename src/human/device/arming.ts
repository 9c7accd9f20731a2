/** Timing that ensures that only a deliberate key makes a decision (G30), in milliseconds. */
export interface ArmingTimes {
  /** How long keys are ignored after drawing, in milliseconds. Default: 300. */
  readonly deafMs: number;
  /** Required pause without any key after a key was pressed too early, in milliseconds. Default: 400. */
  readonly quietMs: number;
}

/**
 * Maximum gap between the keys of a paste without markers, in milliseconds. Such a paste may arrive in
 * several reads.
 */
export const TOGETHER_MS = 30;

const TIMES: ArmingTimes = { deafMs: 300, quietMs: 400 };

/**
 * Determines whether a key may make a decision. Keys are ignored for 300 ms after drawing. If keys keep
 * arriving, they are ignored until 400 ms have passed without any, so that a held key or typed text never
 * makes a decision. A paste or a burst of keys never makes a decision either, and restarts the wait.
 */
export class Arming {
  readonly #times: ArmingTimes;
  #readyAt: number;

  constructor(drawnAt: number, times: ArmingTimes = TIMES) {
    this.#times = times;
    this.#readyAt = drawnAt + times.deafMs;
  }

  /** Whether a single key may make a decision at this time. */
  accepts(at: number): boolean {
    if (at >= this.#readyAt) return true;
    this.#wait(at);
    return false;
  }

  /** Registers a paste or several keys at once. Neither ever makes a decision. */
  disturb(at: number): void {
    this.#wait(at);
  }

  /** Restarts the wait, as after drawing. */
  restart(drawnAt: number): void {
    this.#readyAt = drawnAt + this.#times.deafMs;
  }

  #wait(at: number): void {
    this.#readyAt = Math.max(this.#readyAt, at + this.#times.quietMs);
  }
}
