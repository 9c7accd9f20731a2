import type { AsideMove } from '../terminal/index.js';

/** The lines that turn to questions which were put aside. */
export const ASIDE_MOVES: ReadonlyMap<string, AsideMove> = new Map([
  ['/answer', 'answer'],
  ['/cancel', 'cancel'],
  ['/quit', 'leave'],
]);
