import type { Clock, Dispatcher, SessionId } from '../src/core/index.js';

/** Options for an in-process dispatcher. */
export interface LocalDispatcherOptions {
  readonly clock: Clock;
  /** Number of sessions that a worker runs at the same time. Default: 1. */
  readonly slots?: number;
}

/** Shortest and longest pause after failures, in milliseconds. */
const FIRST_MS = 100;
const LONGEST_MS = 60_000;
/** Longest wait, in milliseconds. It is limited because a timer cannot be set for more than 24 days. */
const LOOK_MS = 3_600_000;

interface Wake {
  readonly at: number;
  /** Failures so far. */
  readonly failed: number;
}

/**
 * Creates an in-process dispatcher. Sessions that were woken but not yet passed to a worker are lost when the
 * process ends.
 */
export function createLocalDispatcher(options: LocalDispatcherOptions): Dispatcher {
  return new LocalDispatcher(options);
}

class LocalDispatcher implements Dispatcher {
  readonly #clock: Clock;
  readonly #slots: number;
  readonly #waiting = new Map<SessionId, Wake>();
  readonly #busy = new Set<SessionId>();
  readonly #sleepers = new Set<AbortController>();

  constructor({ clock, slots = 1 }: LocalDispatcherOptions) {
    this.#clock = clock;
    this.#slots = slots;
  }

  wake(id: SessionId, at = this.#clock.now()): Promise<void> {
    const before = this.#waiting.get(id);
    this.#put(id, { at: Math.min(at, before?.at ?? at), failed: 0 });
    return Promise.resolve();
  }

  async work(
    handle: (id: SessionId, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    await Promise.all(Array.from({ length: this.#slots }, () => this.#slot(handle, signal)));
  }

  async #slot(
    handle: (id: SessionId, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      const due = this.#take();
      if (due === undefined) {
        await this.#sleep(signal);
        continue;
      }
      const { id, failed } = due;
      const isDone = await handle(id, signal).then(
        () => true,
        () => false,
      );
      this.#busy.delete(id);
      this.#after(id, isDone, failed, signal);
      this.#ring();
    }
  }

  #take(): { readonly id: SessionId; readonly failed: number } | undefined {
    const now = this.#clock.now();
    for (const [id, { at, failed }] of this.#waiting) {
      if (at > now || this.#busy.has(id)) continue;
      this.#waiting.delete(id);
      this.#busy.add(id);
      return { id, failed };
    }
    return undefined;
  }

  /**
   * Reschedules a session that failed or was interrupted. If the session has been woken in the meantime, that
   * wake-up applies instead.
   */
  #after(id: SessionId, isDone: boolean, before: number, { aborted }: AbortSignal): void {
    if ((isDone && !aborted) || this.#waiting.has(id)) return;
    const failed = aborted ? 0 : before + 1;
    const pause = failed === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failed - 1));
    this.#put(id, { at: this.#clock.now() + pause, failed });
  }

  #put(id: SessionId, wake: Wake): void {
    this.#waiting.set(id, wake);
    this.#ring();
  }

  #ring(): void {
    for (const sleeper of this.#sleepers) sleeper.abort();
  }

  /** Waits until the next timer is due, a session is woken, or the signal aborts. */
  async #sleep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const moments = [...this.#waiting].flatMap(([id, { at }]) => (this.#busy.has(id) ? [] : [at - now]));
    const sleeper = new AbortController();
    const ring = (): void => {
      sleeper.abort();
    };
    this.#sleepers.add(sleeper);
    signal.addEventListener('abort', ring);
    try {
      await this.#clock.sleep(Math.min(LOOK_MS, ...moments), sleeper.signal);
    } catch {
      // Woken.
    } finally {
      this.#sleepers.delete(sleeper);
      signal.removeEventListener('abort', ring);
    }
  }
}
