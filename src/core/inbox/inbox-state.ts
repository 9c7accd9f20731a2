import type { InboxItem } from './inbox-item.js';

/** The first and the last of numbers without a gap. */
export type SeqRange = readonly [from: number, to: number];

/** The messages from outside, as the journal knows them. */
export interface InboxState {
  /** The numbers of everything that was delivered or dropped, ascending. Its gaps are what waits. */
  readonly gone: readonly SeqRange[];
  /** Messages that were delivered; verbs are not counted. */
  readonly delivered: number;
  readonly expired: number;
  readonly refused: number;
  /** Delivered, and nobody knows of an effect; the newest 100. */
  readonly unsettled: readonly InboxItem[];
  /** ISO 8601: when something was last delivered or dropped. */
  readonly lastAt: string;
}

/** True where the item with this number was delivered or dropped. */
export function isGone(inbox: InboxState | undefined, seq: number): boolean {
  const range = inbox?.gone[placeIn(inbox.gone, seq)];
  return range !== undefined && range[0] <= seq;
}

/** The index of the first range that does not end before a number; behind the last one where all do. */
export function placeIn(ranges: readonly SeqRange[], seq: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range !== undefined && range[1] < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
