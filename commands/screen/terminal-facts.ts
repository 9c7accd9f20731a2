import { isPlainTerminal, wantsColour } from '../../src/render/index.js';
import type { Io } from '../host/index.js';

/** Whether a stream uses colors. @param color the flag; commander sets it to false for `--no-color` */
export function isColoured({ env }: Io, { isTTY }: { readonly isTTY: boolean }, color: boolean): boolean {
  return wantsColour({ isTTY, env, ...(!color && { flag: false }) });
}

/** Whether to use ASCII, for a limited terminal or a screen reader. */
export function isDumb({ env }: Io): boolean {
  return isPlainTerminal(env);
}

/** Returns the width of the terminal for a table; empty if the output is not a terminal. */
export function columnsOf({ isTTY, columns }: Io['stdout']): { readonly columns?: number } {
  return isTTY ? { columns } : {};
}
