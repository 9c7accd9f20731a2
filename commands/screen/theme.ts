import type { TableOptions, Theme } from '../../src/render/index.js';
import { createTheme, hasManyColours, isLightTerminal } from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import { columnsOf, isColoured, isDumb } from './terminal-facts.js';

/** The theme of stderr, where conversation goes. */
export function stderrTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stderr, color);
}

/** The theme of stdout, where data goes. */
export function stdoutTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stdout, color);
}

function themeOf(io: Io, stream: { readonly isTTY: boolean }, color: boolean): Theme {
  const colour = isColoured(io, stream, color);
  const { env } = io;
  return createTheme({ colour, ascii: isDumb(io), light: isLightTerminal(env), many: hasManyColours(env) });
}

/** Returns the layout of a table on stdout: the terminal's width, or unlimited elsewhere. */
export function stdoutTable(io: Io, color: boolean): TableOptions {
  return { theme: stdoutTheme(io, color), ...columnsOf(io.stdout) };
}
