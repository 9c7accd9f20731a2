import type { StoreContext } from './store-options.js';

/** The time between two looks at files where the system does not tell of changes. */
const POLL_MS = 250;

/**
 * Waits until `look` finds something, looking after each change in a folder and from time to time.
 * Rejects with the signal's reason when it aborts.
 */
export async function untilChanged<T>(
  context: StoreContext,
  folder: string,
  look: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  let wake = (): void => undefined;
  const changed = (): void => {
    wake();
  };
  const unwatch = context.fs.watch(folder, changed);
  signal.addEventListener('abort', changed); // `AbortSignal.any` leaves something with it at each look
  try {
    for (;;) {
      signal.throwIfAborted();
      const found = await look();
      if (found !== undefined) return found;
      const woken = new AbortController();
      wake = () => {
        woken.abort();
      };
      await context.clock.sleep(POLL_MS, woken.signal).catch(() => undefined); // woken, or aborted: the loop tells which
    }
  } finally {
    signal.removeEventListener('abort', changed);
    unwatch();
  }
}
