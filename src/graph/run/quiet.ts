/** Number of microtask turns after which code is considered waiting. */
const TURNS = 100;

/**
 * Waits until nothing new starts. `begun` returns the number of starts so far, and `ended` waits for running
 * work.
 */
export async function quiet(begun: () => number, ended?: () => Promise<void>): Promise<void> {
  for (let seen = -1; seen !== begun();) {
    seen = begun();
    await ended?.();
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
  }
}

/**
 * Returns a promise that stays pending. The code therefore does not continue in this run, and neither `catch`
 * nor `finally` runs.
 */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
