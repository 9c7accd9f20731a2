/** The number of turns that code gets before it is taken to wait for what it has begun. */
const TURNS = 100;

/** Waits until nothing more begins: `begun` counts what has, and `ended` waits for what does not wait itself. */
export async function quiet(begun: () => number, ended?: () => Promise<void>): Promise<void> {
  for (let seen = -1; seen !== begun();) {
    seen = begun();
    await ended?.();
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
  }
}

/** The promise of what does not go on in this run of the code: neither `catch` nor `finally` runs behind it. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
