import type { TableOptions, Theme } from '../../src/render/index.js';
import { createTheme } from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import { columnsOf, isColoured, isDumb } from './terminal-facts.js';

/** The theme of stderr, where conversation goes. */
export function stderrTheme(io: Io, color: boolean): Theme {
  return createTheme({ colour: isColoured(io, io.stderr, color), ascii: isDumb(io) });
}

/** The theme of stdout, where data goes. */
export function stdoutTheme(io: Io, color: boolean): Theme {
  return createTheme({ colour: isColoured(io, io.stdout, color), ascii: isDumb(io) });
}

/** Gives the look of a table on stdout: as wide as the terminal, or as it is where it goes elsewhere. */
export function stdoutTable(io: Io, color: boolean): TableOptions {
  return { theme: stdoutTheme(io, color), ...columnsOf(io.stdout) };
}
