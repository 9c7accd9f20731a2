import type { Offer } from '../../src/human/index.js';
import { SLASH_COMMANDS } from './table.js';
import { usageOf } from './usage.js';

/** The commands that a line so far may become, each with what it does. */
export function slashOffers(line: string): readonly Offer[] {
  if (!line.startsWith('/') || line.startsWith('//')) return [];
  return SLASH_COMMANDS.flatMap((command) => {
    const { name, argument, help } = command;
    const whole = `/${name}${argument === undefined ? '' : ' '}`;
    return `/${name}`.startsWith(line) && `/${name}` !== line
      ? [{ line: whole, label: usageOf(command), help }]
      : [];
  });
}

/** The command that Esc Esc runs: back to an earlier message. */
export const BACK = '/rewind';
