import type { Shown } from '../../src/core/index.js';
import { escapeText, shown } from '../../src/core/index.js';

/** Default maximum number of rows in a list. */
const MOST_SHOWN = 50;

/** Flags that limit a list. */
export interface LimitFlags {
  readonly limit?: number;
  readonly all?: boolean;
}

/** Returns the maximum number of rows in a list. */
export function limitOf({ limit, all }: LimitFlags): number {
  return limit ?? (all === true ? Infinity : MOST_SHOWN);
}

/** Returns a query limit of one more row than is shown, to detect whether rows are left out. */
export function oneMore(limit: number): { readonly limit?: number } {
  return limit === Infinity ? {} : { limit: limit + 1 };
}

/**
 * Formats the line that follows a shortened list: `… and 49,954 more: --all shows them`. @param left number
 * of rows left out; absent if not counted
 */
export function moreLine(left: number | undefined, { all }: LimitFlags): Shown {
  const many = left === undefined ? shown`` : shown`${escapeText(left.toLocaleString('en-US'))} `;
  return all === true ? shown`… and ${many}more` : shown`… and ${many}more: --all shows them`;
}
