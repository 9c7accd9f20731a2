import type { SlashHandler } from '../context.js';

/** `/quit`: leaves. */
export const quit: SlashHandler = () => Promise.resolve('quit');
