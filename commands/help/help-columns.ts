/** Maximum width of help text, in columns. Longer lines are hard to read. */
const HELP_COLUMNS = 80;

/** Returns the width of help text: 80 columns, or the terminal's width if it is narrower. */
export function helpColumns({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY && columns > 0 ? Math.min(columns, HELP_COLUMNS) : HELP_COLUMNS;
}
