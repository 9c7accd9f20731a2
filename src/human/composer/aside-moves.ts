import type { AsideMove } from '../terminal/terminal.js';

/** Questions that were put aside. */
export interface Aside {
  readonly count: number;
  readonly resolve: (move: AsideMove) => void;
}

/** The lines that turn to questions which were put aside. */
export const ASIDE_MOVES: ReadonlyMap<string, AsideMove> = new Map([
  ['/answer', 'answer'],
  ['/cancel', 'cancel'],
  ['/quit', 'leave'],
]);

/** Says that questions wait, and what may be done about it. */
export function asideWords(count: number): string {
  const what = count === 1 ? 'a question waits' : `${count} questions wait`;
  return `${what}: Tab or /answer asks again · what you enter is sent after the answer · /cancel`;
}
