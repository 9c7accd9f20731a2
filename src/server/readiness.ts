import type { Clock, SessionStore } from '../core/index.js';
import { isHitlError } from '../core/index.js';
import type { ServerWorld } from './world.js';

/**
 * Route that reports that the process is running, independently of its store: path, text and content type.
 */
export const HEALTH = ['/healthz', 'ok\n', 'text/plain; charset=utf-8'] as const;

/**
 * Time for which a response from the store is cached, in milliseconds. All unauthenticated requests share the
 * cached response.
 */
const COUNTS_MS = 1_000;

/** Readiness report for process managers. The first line is the status; the others are notes. */
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

/** Checks whether the store responds and can be used. */
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

  /** Returns the readiness. The response from the store is cached for one second. */
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
    return { ...answer, lines: [...answer.lines, `sessions that no worker can run: ${unserved}`] };
  }

  async #answered(): Promise<Ready> {
    for await (const _newest of this.#store.list({ limit: 1 })) break;
    const seen = await this.#store.capabilities.origin?.look();
    if (seen?.isCopy === true) return COPY;
    return { isReady: true, lines: ['ready', ...(seen?.promoted === undefined ? [] : [PROMOTED])] };
  }

  /**
   * Counts due sessions that no live worker can run. Names are left out, because they require authentication.
   */
  async #unserved(): Promise<number> {
    const needs = (await this.#store.capabilities.workers?.unserved()) ?? [];
    return needs.reduce((sum, { sessions }) => sum + sessions, 0);
  }
}

/**
 * Converts an error to a readiness report. An unsupported store version is permanent and is reported without
 * the store's URL.
 */
function whyNot(thrown: unknown): Ready {
  const isNewer = isHitlError(thrown) && thrown.code === 'SESSION_NEWER';
  return isNewer ? { isReady: false, lines: [thrown.message] } : AWAY;
}

/**
 * Creates the route that reports whether requests can be served, based on a recent response from the store.
 * Unlike `/healthz`, it does not report on the process.
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
