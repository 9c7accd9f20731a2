import { Chalk } from 'chalk';

import { plainTheme } from './theme.js';
import type { Style, Theme, ThemeOptions } from './theme.js';

/** 256-color palette entries with a contrast of at least 4 to 1 on white. */
const LIGHT = { yellow: 130, cyan: 30, green: 28 } as const;

/**
 * Backgrounds from the fixed 256-color palette: dark colors for dark terminals, light ones for light
 * terminals. Changed words have a stronger color than their row.
 */
const GROUNDS = {
  dark: { removed: { row: 52, words: 88 }, added: { row: 22, words: 28 } },
  light: { removed: { row: 224, words: 217 }, added: { row: 194, words: 157 } },
} as const;

/**
 * Creates a theme. Colors are defined only here. Sets chalk's level explicitly, because chalk ignores
 * NO_COLOR.
 */
export function createTheme({ colour, light = false, many = false, ...options }: ThemeOptions): Theme {
  const plain = plainTheme(options);
  if (!colour) return plain;
  // The sixteen basic colours follow the person's own palette; on a light background three of them are hard to read in
  // nearly every palette, and are taken darker from the fixed colours.
  const chalk = new Chalk({ level: light || many ? 2 : 1 });
  const ground = ({ row, words }: { readonly row: number; readonly words: number }) => ({
    row: chalk.bgAnsi256(row),
    words: chalk.bgAnsi256(words),
  });
  const { removed, added } = GROUNDS[light ? 'light' : 'dark'];
  const yellow: Style = light ? chalk.ansi256(LIGHT.yellow) : chalk.yellow;
  const cyan: Style = light ? chalk.ansi256(LIGHT.cyan) : chalk.cyan;
  const green: Style = light ? chalk.ansi256(LIGHT.green) : chalk.green;
  return {
    ...plain,
    colour,
    strong: (text) => chalk.bold(text),
    emphasis: (text) => chalk.italic(text),
    struck: (text) => chalk.strikethrough(text),
    dim: (text) => chalk.dim(text),
    code: cyan,
    heading: (text) => chalk.bold.underline(text),
    link: (text) => chalk.underline(text),
    tool: (text) => chalk.bold(text),
    success: green,
    failure: (text) => chalk.red(text),
    warning: yellow,
    stop: (text) => chalk.magenta(text),
    changed: (text) => chalk.inverse(text),
    ...(many && { grounds: { removed: ground(removed), added: ground(added) } }),
    syntax: {
      keyword: (text) => chalk.magenta(text),
      string: yellow,
      number: cyan,
      comment: (text) => chalk.dim(text),
      name: (text) => chalk.blue(text),
    },
  };
}
