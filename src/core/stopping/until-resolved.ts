/** Waits until somebody calls `resolve`; rejects with the signal's reason when it aborts first. `over` is called in both cases. */
export function untilResolved<T>(
  signal: AbortSignal,
  keep: (resolve: (value: T) => void) => void,
  over: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', abort);
      over();
    };
    const abort = () => {
      end();
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new Error(String(reason)));
    };
    signal.addEventListener('abort', abort, { once: true });
    keep((value) => {
      end();
      resolve(value);
    });
  });
}
