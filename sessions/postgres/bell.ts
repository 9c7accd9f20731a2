import type { Clock } from '../../src/core/index.js';
import type { SqlDriver } from './driver/sql-driver.js';
import { LEASE } from './presence.js';

// Invariants:
// B1 What is told is a hint: it makes somebody look earlier, and nobody look less.
// B2 One connection hears for all of a store; where it is lost, whoever waits next makes a new one.

/** Notification channel for due work and changed sessions. */
export const CHANNEL = 'hitl';

/** Notice that a session is due. Any other notice is the id of a changed session. */
export const DUE = '';

/** Prefix of a notice that a session is due for specific workers, whose numbers follow. */
const FOR = '@';
/** Number of workers to wake. There is more than one, in case a worker is busy or gone. */
const WOKEN = 2;

/**
 * Returns an SQL expression that notifies a few free, suitable workers that a session is due, or all
 * listeners if there are no such workers. `session` is the alias of the session's row.
 */
export function tellDue(session: string): string {
  return `pg_notify('${CHANNEL}', coalesce((
    select '${FOR}' || string_agg(w.number::text, ',') from (
      select w.number from hitl_worker w
      where w.space = ${session}.space and w.busy < w.slots and w.seen_at > now() - ${LEASE}
        and not coalesce(${session}.needs = any(w.needs), false)
      order by random() limit ${WOKEN}) w), '${DUE}'))::text`;
}

/** Whether a notice means that a session is due for any worker. */
export function isDue(notice: string): boolean {
  return notice === DUE || notice.startsWith(FOR);
}

/** Whether a notice means that a session is due for this worker or for all workers. */
export function isDueFor(notice: string, worker: number | undefined): boolean {
  return (
    notice === DUE || (notice.startsWith(FOR) && notice.slice(FOR.length).split(',').includes(String(worker)))
  );
}

/** Receives notices for one waiting caller, until it is disposed of. */
export interface Ear extends Disposable {
  /** Resolves once notices can be received, or once it is clear that they cannot be. */
  ready(): Promise<void>;
  /** Waits until a notice arrives, the timeout expires, or the signal aborts. */
  rung(clock: Clock, ms: number, signal: AbortSignal): Promise<void>;
  /** Marks the received notices as handled. Only later ones end the next wait. */
  taken(): void;
}

/** Distributes the notices of a database channel to listeners. */
export class Bell {
  readonly #driver: () => Promise<SqlDriver>;
  readonly #ears = new Set<(notice: string) => void>();
  #isHeard = false;

  constructor(driver: () => Promise<SqlDriver>) {
    this.#driver = driver;
  }

  /** Creates a listener for the notices that `isMeant` accepts. */
  ear(isMeant: (notice: string) => boolean): Ear {
    let hasRung = false;
    let wake = (): void => undefined;
    const hear = (notice: string): void => {
      if (!isMeant(notice)) return;
      hasRung = true;
      wake();
    };
    this.#ears.add(hear);
    return {
      ready: () => this.#listen(),
      rung: async (clock, ms, signal) => {
        await this.#listen();
        if (hasRung || signal.aborted) return;
        const waited = new AbortController();
        const end = (): void => {
          waited.abort(signal.reason);
        };
        signal.addEventListener('abort', end); // `AbortSignal.any` would leave something with a signal that stays
        const ring = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const time = clock.sleep(ms, waited.signal).catch(() => undefined);
        await Promise.race([ring, time]);
        signal.removeEventListener('abort', end);
        waited.abort();
      },
      taken: () => {
        hasRung = false;
      },
      [Symbol.dispose]: () => {
        this.#ears.delete(hear);
      },
    };
  }

  async #listen(): Promise<void> {
    if (this.#isHeard) return;
    this.#isHeard = true;
    const lost = (): void => {
      this.#isHeard = false;
    };
    try {
      const driver = await this.#driver();
      await driver.listen(
        CHANNEL,
        (notice) => {
          for (const hear of this.#ears) hear(notice);
        },
        lost,
      );
    } catch {
      lost(); // B1
    }
  }
}
