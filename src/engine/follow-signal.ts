/** A controller that aborts with a signal, and can abort before it. */
export interface FollowingController {
  readonly controller: AbortController;
  /** Stops following; the signal holds on to nothing of it any more. */
  readonly release: () => void;
}

/** Makes a controller that aborts when `signal` does, with its reason. */
export function followSignal(signal: AbortSignal): FollowingController {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    controller,
    release: () => {
      signal.removeEventListener('abort', abort);
    },
  };
}
