import type { SlashHandler } from '../context.js';

/** `/quit`: leaves. */
export const quit: SlashHandler = (_argument, { leave }) => {
  leave();
};
