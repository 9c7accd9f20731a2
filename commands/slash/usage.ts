import type { SlashCommand } from './context.js';

/** A command as it is typed: `/rewind <turns>`. */
export function usageOf({ name, argument }: SlashCommand): string {
  return `/${name}${argument === undefined ? '' : ` ${argument}`}`;
}
