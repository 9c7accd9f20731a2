/** Time, as everything below the commands sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a while; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
