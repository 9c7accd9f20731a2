/** Whether each point of death, or escape, is tried, and not a sample of them. */
export const triesAll = process.env['KILL_POINTS'] === 'all';

/**
 * The points that are tried: of all of them one of so many, or each.
 * @param first the first that is tried; others than those of another loop over the same program.
 */
export function killPoints<Point>(all: readonly Point[], every: number, first = 0): readonly Point[] {
  if (triesAll) return all;
  return all.filter((_point, index) => index % every === first % every);
}

/** 1 to n: the operations before which a program is killed. */
export function upTo(n: number): readonly number[] {
  return Array.from({ length: n }, (_, index) => index + 1);
}
