/** Time, as everything below the commands sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a while; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Puts the clock forward, or back where `ms` is less than 0: a store that several machines share has found out what
   * time counts. All that goes by this clock goes by that time then. @returns by how much it is put forward in all.
   * Default: whoever shares the store makes a clock of its own of this one.
   */
  correct?(ms: number): number;
  /** The clock that this one goes by: nothing puts it forward, so that it measures. Default: this one. */
  readonly basis?: Clock;
}
