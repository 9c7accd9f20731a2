import type { Shown } from './escape.js';
import { escapeText, shown } from './escape.js';

/** So many of a thing: `1 turn`, `2 turns`; `several` is what more than one are called where an `s` does not do. */
export function count(n: number, one: string, several = `${one}s`): Shown {
  return shown`${n} ${escapeText(n === 1 ? one : several)}`;
}
