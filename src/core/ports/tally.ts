import type { InterruptKind } from '../interrupt.js';

/**
 * Why a session is due: something was left for it (`left`), it failed or its worker died (`retry`), or its own records say
 * so (`run`): it was answered, or a time is over.
 */
export type DueKind = 'left' | 'retry' | 'run';

/** A number of things, counted up to 10,000: a tally reads no more of them. */
export interface Counted<Name extends string> {
  readonly name: Name;
  readonly count: number;
  /** The moment since when the oldest of them waits, milliseconds since 1970 by the store's clock; absent for none. */
  readonly oldest?: number;
}

/** How much a store holds, without what it is: numbers and moments, for those who watch it. */
export interface StoreTally {
  /** Open interrupts, by kind; `wait` is one for which nobody is asked: a time, or an event. */
  readonly open: readonly Counted<InterruptKind | 'wait'>[];
  /** Sessions, by the status of their records: whether a process has one now is `held`. */
  readonly sessions: readonly Counted<'done' | 'waiting' | 'interrupted' | 'failed'>[];
  /** Sessions that a process has now. */
  readonly held: number;
  /** Sessions that anybody could go on with now, and nobody has. */
  readonly due: readonly Counted<DueKind>[];
  /** Sessions that failed at least five times since they rested last. */
  readonly failing: number;
}
