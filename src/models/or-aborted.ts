/**
 * What a promise brings, unless the signal aborts first: then its reason at once, whatever becomes of the promise.
 * In Node 20 a read never settles that waits when a fetch is aborted whose last byte has arrived.
 */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(reasonOf(signal));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = promise.then(resolve, reject);
    void settled.finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
