import type { Shown } from '../../src/core/index.js';
import { escapeText, shown } from '../../src/core/index.js';

/** Default number of rows in a list. */
const MOST_SHOWN = 50;

/** Flags that limit a list. */
export interface LimitFlags {
  readonly limit?: number;
  readonly all?: boolean;
}

/** The most rows that a list shows. */
export function limitOf({ limit, all }: LimitFlags): number {
  return limit ?? (all === true ? Infinity : MOST_SHOWN);
}

/** Requests one row more than shown, to detect that some are left out. */
export function oneMore(limit: number): { readonly limit?: number } {
  return limit === Infinity ? {} : { limit: limit + 1 };
}

/** `… and 49,954 more: --all shows them`. @param left absent if not counted */
export function moreLine(left: number | undefined, { all }: LimitFlags): Shown {
  const many = left === undefined ? shown`` : shown`${escapeText(left.toLocaleString('en-US'))} `;
  return all === true ? shown`… and ${many}more` : shown`… and ${many}more: --all shows them`;
}
