import type { SlashHandler } from '../context.js';

/** `/clear`: takes everything off the screen but the prompt. */
export const clear: SlashHandler = (_argument, context) => {
  context.clear?.();
};
