/** Event loop turns before code counts as waiting. */
const TURNS = 100;

/** Waits until nothing more starts: `begun` counts starts, and `ended` waits for running work. */
export async function quiet(begun: () => number, ended?: () => Promise<void>): Promise<void> {
  for (let seen = -1; seen !== begun();) {
    seen = begun();
    await ended?.();
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
  }
}

/** The promise of work that does not continue in this run of the code: neither `catch` nor `finally` runs. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
