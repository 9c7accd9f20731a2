import type { TableOptions, Theme } from '../../src/render/index.js';
import { createTheme, hasManyColours, isLightTerminal } from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import { columnsOf, isColoured, isDumb } from './terminal-facts.js';

/** Returns the theme for stderr, which shows the conversation. */
export function stderrTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stderr, color);
}

/** Returns the theme for stdout, which receives data. */
export function stdoutTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stdout, color);
}

function themeOf(io: Io, stream: { readonly isTTY: boolean }, color: boolean): Theme {
  const colour = isColoured(io, stream, color);
  const { env } = io;
  return createTheme({ colour, ascii: isDumb(io), light: isLightTerminal(env), many: hasManyColours(env) });
}

/**
 * Returns the layout of tables on stdout. They are as wide as the terminal, or of unlimited width if the
 * output is not a terminal.
 */
export function stdoutTable(io: Io, color: boolean): TableOptions {
  return { theme: stdoutTheme(io, color), ...columnsOf(io.stdout) };
}
