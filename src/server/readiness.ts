import type { Clock, SessionStore } from '../core/index.js';
import { isHitlError } from '../core/index.js';
import type { ServerWorld } from './world.js';

/** Reports a running process, independent of its store: path, text and type. */
export const HEALTH = ['/healthz', 'ok\n', 'text/plain; charset=utf-8'] as const;

/** Cache time of the store's reply, for all unauthenticated requests. */
const COUNTS_MS = 1_000;

/** Readiness for process managers: the first line is the status, the others are notes. */
interface Ready {
  readonly isReady: boolean;
  readonly lines: readonly string[];
}

const AWAY: Ready = { isReady: false, lines: ['the store is unreachable'] };
const COPY: Ready = {
  isReady: false,
  lines: ['the database is a copy of another one; run hitl store restored or hitl store moved'],
};
const PROMOTED =
  'the database was promoted; run hitl store restored if it came from a backup or lost data, otherwise hitl store moved';

/** Whether the store answers. */
class Readiness {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #patience: () => AbortSignal;
  #asked: { readonly at: number; readonly answer: Promise<Ready> } | undefined;

  constructor(store: SessionStore, clock: Clock, patience: () => AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#patience = patience;
  }

  /** Returns readiness from the store's reply within the last second. */
  seen(): Promise<Ready> {
    const now = this.#clock.now();
    if (this.#asked === undefined || now - this.#asked.at >= COUNTS_MS)
      this.#asked = { at: now, answer: this.#ask() };
    return this.#asked.answer;
  }

  async #ask(): Promise<Ready> {
    const late = this.#patience();
    const isLate = new Promise<undefined>((resolve) => {
      late.addEventListener('abort', () => {
        resolve(undefined);
      });
    });
    const answer = await Promise.race([this.#answered().catch(whyNot), isLate]);
    if (answer?.isReady !== true) return answer ?? AWAY;
    const unserved = (await Promise.race([this.#unserved().catch(() => 0), isLate])) ?? 0;
    if (unserved === 0) return answer;
    return { ...answer, lines: [...answer.lines, `no worker here can run some sessions: ${unserved}`] };
  }

  async #answered(): Promise<Ready> {
    for await (const _newest of this.#store.list({ limit: 1 })) break;
    const seen = await this.#store.capabilities.origin?.look();
    if (seen?.isCopy === true) return COPY;
    return { isReady: true, lines: ['ready', ...(seen?.promoted === undefined ? [] : [PROMOTED])] };
  }

  /** Counts due sessions that no live worker can run, without names, which need authentication. */
  async #unserved(): Promise<number> {
    const needs = (await this.#store.capabilities.workers?.unserved()) ?? [];
    return needs.reduce((sum, { sessions }) => sum + sessions, 0);
  }
}

/** An unsupported store version is permanent and reported, without its URL. */
function whyNot(thrown: unknown): Ready {
  const isNewer = isHitlError(thrown) && thrown.code === 'SESSION_NEWER';
  return isNewer ? { isReady: false, lines: [thrown.message] } : AWAY;
}

/**
 * Reports whether requests can be served: the store replied recently. Unlike `/healthz`, it says nothing
 * about the process.
 */
export function readyRoute({ store, clock, patience }: Pick<ServerWorld, 'store' | 'clock' | 'patience'>) {
  const readiness = new Readiness(store, clock, patience);
  return {
    ...({ method: 'GET', path: '/readyz', kind: 'file', needs: 'nobody' } as const),
    handle: async (): Promise<Response> => {
      const { isReady, lines } = await readiness.seen();
      return new Response(`${lines.join('\n')}\n`, {
        status: isReady ? 200 : 503,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'no-store',
          ...(!isReady && { 'retry-after': '5' }),
        },
      });
    },
  };
}
