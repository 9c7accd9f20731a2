import type { InboxItem } from './inbox-item.js';

/** The first and the last of numbers without a gap. */
export type SeqRange = readonly [from: number, to: number];

/** What the journal knows of messages from outside. */
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
  return inbox?.gone.some(([from, to]) => from <= seq && seq <= to) ?? false;
}
