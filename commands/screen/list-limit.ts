import type { Shown } from '../../src/core/index.js';
import { escapeText, shown } from '../../src/core/index.js';

/** The rows that a list shows unless more are asked for. */
const MOST_SHOWN = 50;

/** The flags that say how much of a list is shown. */
export interface LimitFlags {
  readonly limit?: number;
  readonly all?: boolean;
}

/** The most rows that a list shows. */
export function limitOf({ limit, all }: LimitFlags): number {
  return limit ?? (all === true ? Infinity : MOST_SHOWN);
}

/** One more than a list shows, for a query: where it is there, something is left out. */
export function oneMore(limit: number): { readonly limit?: number } {
  return limit === Infinity ? {} : { limit: limit + 1 };
}

/** `… and 49,954 more: --all shows them`. @param left absent where they were not counted */
export function moreLine(left: number | undefined, { all }: LimitFlags): Shown {
  const many = left === undefined ? shown`` : shown`${escapeText(left.toLocaleString('en-US'))} `;
  return all === true ? shown`… and ${many}more` : shown`… and ${many}more: --all shows them`;
}
