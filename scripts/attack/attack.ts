// What a row of the table is made of.
import type { Verdict } from './verdict.js';
import type { World } from './world.js';

/** One attack: what is tried, and how it is seen whether the law held. */
export interface Attack {
  /** A letter and a number; a small letter behind them where one number has several. */
  readonly id: string;
  /** One line that says what is tried. */
  readonly tried: string;
  /** How long it may take in all; default 60 s. */
  readonly limitMs?: number;
  run(world: World): Promise<Verdict>;
}
