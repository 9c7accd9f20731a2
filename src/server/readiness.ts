import type { Clock, SessionStore } from '../core/index.js';
import { isHitlError } from '../core/index.js';
import type { ServerWorld } from './world.js';

/** Says that the process is there, and nothing about its store: a path, a text and its type. */
export const HEALTH = ['/healthz', 'ok\n', 'text/plain; charset=utf-8'] as const;

/** An answer of the store counts for so long, for all who ask: nobody has to be known to ask. */
const COUNTS_MS = 1_000;

/** What is told to whoever starts, stops and watches a server: the first line says it, the others are notes. */
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

  /** As the store answered within the last second, where it did in time. */
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

  /** Sessions to go on with that no live worker can run: a fact about others. Names are for those who are known. */
  async #unserved(): Promise<number> {
    const needs = (await this.#store.capabilities.workers?.unserved()) ?? [];
    return needs.reduce((sum, { sessions }) => sum + sessions, 0);
  }
}

/** A store of a version that this program does not know stays so: whoever asks is told. Its words name no address. */
function whyNot(thrown: unknown): Ready {
  const isNewer = isHitlError(thrown) && thrown.code === 'SESSION_NEWER';
  return isNewer ? { isReady: false, lines: [thrown.message] } : AWAY;
}

/** Whether requests can be served: the store answered just now. It says nothing about the process, as `/healthz` does. */
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
