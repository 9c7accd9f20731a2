/** A size as it was told; a terminal that says 0 or nothing does not know it. */
export function sizeOf(told: number | undefined, least: number, usual: number): number {
  return told === undefined || told <= 0 ? usual : Math.max(least, told);
}
