import type { Theme } from '../src/render/plain.js';
import { createTheme, wantsColour } from '../src/render/plain.js';
import type { Io } from './io.js';

/** The theme of stderr, where conversation goes. */
export function stderrTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stderr.isTTY, color);
}

/** The theme of stdout, where data goes. */
export function stdoutTheme(io: Io, color: boolean): Theme {
  return themeOf(io, io.stdout.isTTY, color);
}

function themeOf({ env }: Io, isTTY: boolean, color: boolean): Theme {
  const facts = { isTTY, env, ...(!color && { flag: false }) };
  return createTheme({ colour: wantsColour(facts), ascii: env['TERM'] === 'dumb' });
}
