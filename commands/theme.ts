import type { Theme } from '../src/render/index.js';
import { createTheme } from '../src/render/index.js';
import type { Io } from './io.js';
import { isColoured, isDumb } from './terminal-facts.js';

/** The theme of stderr, where conversation goes. */
export function stderrTheme(io: Io, color: boolean): Theme {
  return createTheme({ colour: isColoured(io, io.stderr, color), ascii: isDumb(io) });
}

/** The theme of stdout, where data goes. */
export function stdoutTheme(io: Io, color: boolean): Theme {
  return createTheme({ colour: isColoured(io, io.stdout, color), ascii: isDumb(io) });
}
