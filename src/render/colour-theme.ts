import { Chalk } from 'chalk';

import { plainTheme } from './theme.js';
import type { Theme, ThemeOptions } from './theme.js';

/** The one place that makes colours; sets chalk's level itself, because chalk does not look at NO_COLOR. */
export function createTheme({ colour, ...options }: ThemeOptions): Theme {
  const plain = plainTheme(options);
  if (!colour) return plain;
  // The sixteen basic colours follow the person's own palette, so level 1 is all there is.
  const chalk = new Chalk({ level: 1 });
  return {
    ...plain,
    colour,
    strong: (text) => chalk.bold(text),
    emphasis: (text) => chalk.italic(text),
    struck: (text) => chalk.strikethrough(text),
    dim: (text) => chalk.dim(text),
    code: (text) => chalk.cyan(text),
    heading: (text) => chalk.bold.underline(text),
    link: (text) => chalk.underline(text),
    tool: (text) => chalk.bold(text),
    success: (text) => chalk.green(text),
    failure: (text) => chalk.red(text),
    warning: (text) => chalk.yellow(text),
    stop: (text) => chalk.magenta(text),
    changed: (text) => chalk.inverse(text),
    syntax: {
      keyword: (text) => chalk.magenta(text),
      string: (text) => chalk.yellow(text),
      number: (text) => chalk.cyan(text),
      comment: (text) => chalk.dim(text),
      name: (text) => chalk.blue(text),
    },
  };
}
