import type { TableOptions } from '../../../src/render/index.js';
import type { RunFlags } from '../../flags/index.js';
import type { Io } from '../../host/index.js';
import { columnsOf, stderrTheme } from '../../screen/index.js';

/** Gives the look of what a command says: on stderr, one column short of the terminal. */
export function lookOf(io: Io, { color }: Pick<RunFlags, 'color'>): TableOptions {
  const { columns } = columnsOf(io.stderr);
  return { theme: stderrTheme(io, color), ...(columns !== undefined && { columns: columns - 1 }) };
}
