import type { Clock, SessionStore } from '../core/index.js';

/** An answer of the store counts for so long, for all who ask: nobody has to be known to ask. */
const COUNTS_MS = 1_000;

/** The store as it answered: as usual, since its server was promoted, as a copy in which nothing goes on, or not at all. */
export type Ready = 'ready' | 'promoted' | 'copy' | 'away';

/** Whether the store answers. */
export class Readiness {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #patience: () => AbortSignal;
  #asked: { readonly at: number; readonly answer: Promise<Ready> } | undefined;

  constructor(store: SessionStore, clock: Clock, patience: () => AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#patience = patience;
  }

  /** What the store said within the last second, and in time. */
  seen(): Promise<Ready> {
    const now = this.#clock.now();
    if (this.#asked === undefined || now - this.#asked.at >= COUNTS_MS)
      this.#asked = { at: now, answer: this.#ask() };
    return this.#asked.answer;
  }

  async #ask(): Promise<Ready> {
    const late = this.#patience();
    const isLate = new Promise<'away'>((resolve) => {
      late.addEventListener('abort', () => {
        resolve('away');
      });
    });
    const answers = async (): Promise<Ready> => {
      for await (const _newest of this.#store.list({ limit: 1 })) break;
      const seen = await this.#store.capabilities.origin?.look();
      if (seen?.isCopy === true) return 'copy';
      return seen?.promoted === undefined ? 'ready' : 'promoted';
    };
    return Promise.race([answers().catch(() => 'away' as const), isLate]);
  }
}
