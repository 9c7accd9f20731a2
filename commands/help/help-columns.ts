/** Longer lines are hard to read. */
const HELP_COLUMNS = 80;

/** The width of a help text: 80 columns, or as many as a narrower terminal has. */
export function helpColumns({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY && columns > 0 ? Math.min(columns, HELP_COLUMNS) : HELP_COLUMNS;
}
