import type { Clock } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { followSignal } from './follow-signal.js';

/** How long a body that was told to stop may take to do so, in milliseconds. */
const GRACE_MS = 2_000;

/** The watch over one run of a tool's body, or of a node's. */
export interface BodyWatch {
  /** Aborts with the run, or when the body's time is up: with a `TimeLimitError` then. */
  readonly signal: AbortSignal;
  /** Resolves when the body was told to stop and did not. */
  readonly overdue: Promise<void>;
  /** Ends the watch; call it when the body has settled or was given up. */
  end(): void;
}

/** Watches over one run of a body. Nothing is thrown and no timer is made unless something has to be stopped. */
export function watchBody(
  { timeoutMs }: { readonly timeoutMs?: number },
  clock: Clock,
  signal: AbortSignal,
): BodyWatch {
  const { controller: stop, release } = followSignal(signal);
  let timers: AbortController | undefined;
  const after = (ms: number, then: () => void): void => {
    timers ??= new AbortController();
    clock.sleep(ms, timers.signal).then(then, () => undefined); // the watch has ended
  };
  const overdue = new Promise<void>((resolve) => {
    const onStop = (): void => {
      after(GRACE_MS, resolve);
    };
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
  });
  if (timeoutMs !== undefined) {
    after(timeoutMs, () => {
      stop.abort(new TimeLimitError(timeoutMs));
    });
  }
  return {
    signal: stop.signal,
    overdue,
    end() {
      release();
      timers?.abort();
    },
  };
}

/** Why a body was told to stop whose time was up. */
export class TimeLimitError extends HitlError {
  constructor(timeoutMs: number) {
    super('ABORTED', `no result within ${timeoutMs} ms`, { detail: { timeoutMs } });
  }
}
