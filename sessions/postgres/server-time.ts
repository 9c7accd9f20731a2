import type { Clock } from '../../src/core/index.js';
import type { Sql, SqlRow } from './driver/sql-driver.js';
import { numberIn } from './driver/sql-driver.js';

// Invariants:
// T1 What is over, and when a question was asked, is said by the database's clock: all who share it are right or wrong
//    together. The clocks of machines only measure how long something takes.

/** Column with the database's time in milliseconds. */
export const SERVER_TIME = `floor(extract(epoch from clock_timestamp()) * 1000)::bigint as server_time`;

/**
 * Clock differences below this number of milliseconds are ignored. A query takes time, and each correction
 * may set the clock back.
 */
const TOGETHER_MS = 250;
/** Clock differences above this number of milliseconds are reported. */
const SKEWED_MS = 1_000;

/** Adjusts a clock to the database's time (T1). */
export class ServerTime {
  readonly #clock: Clock;
  readonly #skewed: (ms: number) => void;
  #isTold = false;

  /**
   * @param skewed called once with the difference in milliseconds, which is positive if this machine's clock
   * is ahead
   */
  constructor(clock: Clock, skewed: (ms: number) => void) {
    this.#clock = clock;
    this.#skewed = skewed;
  }

  async ask(sql: Sql): Promise<void> {
    await this.learnt(() => sql.query(`select ${SERVER_TIME}`));
  }

  /** Runs a query and reads the database's time from the first row, if it contains the time. */
  async learnt(asked: () => Promise<readonly SqlRow[]>): Promise<readonly SqlRow[]> {
    const sent = this.#clock.now();
    const rows = await asked();
    const [row] = rows;
    if (row?.['server_time'] !== undefined) this.#learn(numberIn(row, 'server_time'), sent);
    return rows;
  }

  #learn(server: number, sent: number): void {
    const took = this.#clock.now() - sent;
    const behind = server - (sent + took / 2);
    if (Math.abs(behind) <= took / 2 + TOGETHER_MS) return;
    const ahead = this.#clock.correct?.(Math.round(behind)) ?? 0;
    if (this.#isTold || Math.abs(ahead) < SKEWED_MS) return;
    this.#isTold = true;
    this.#skewed(-ahead);
  }
}
