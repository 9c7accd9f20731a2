import type { Clock, SessionStore } from '../core/index.js';

/** An answer of the store counts for so long, for all who ask: nobody has to be known to ask. */
const COUNTS_MS = 1_000;

/** Whether the store answers. */
export class Readiness {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #patience: () => AbortSignal;
  #asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  constructor(store: SessionStore, clock: Clock, patience: () => AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#patience = patience;
  }

  /** True where a question to the store was answered within the last second, and in time. */
  isReady(): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#asked === undefined || now - this.#asked.at >= COUNTS_MS)
      this.#asked = { at: now, answer: this.#ask() };
    return this.#asked.answer;
  }

  async #ask(): Promise<boolean> {
    const late = this.#patience();
    const isLate = new Promise<false>((resolve) => {
      late.addEventListener('abort', () => {
        resolve(false);
      });
    });
    const answers = async (): Promise<true> => {
      for await (const _newest of this.#store.list({ limit: 1 })) break;
      return true;
    };
    return Promise.race([answers().catch(() => false), isLate]);
  }
}
