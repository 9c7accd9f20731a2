// Invariants:
// L1 The text is a list of items; the cursor stands between two of them, so nothing is ever cut in half.
// L2 A pasted block is one item: it moves, shows folded and is deleted as one, and its line breaks never send it.

import { charactersOf } from '../../core/index.js';

/** A user-perceived character, or a whole pasted block. */
export interface Item {
  readonly text: string;
  /** Line count of a pasted block, which is shown folded. Absent for a single character. */
  readonly pastedLines?: number;
}

export interface LineState {
  readonly items: readonly Item[];
  /** Number of items before the cursor. */
  readonly cursor: number;
  /** Items removed by the last cut, for Ctrl-Y. */
  readonly cut: readonly Item[];
  readonly history: readonly string[];
  /** Index in the history. If it equals the history's length, the user is editing a new line. */
  readonly place: number;
  /** The unsent line, kept while browsing the history. */
  readonly draft: readonly Item[];
}

const FOLD_LINES = 4;
const FOLD_CHARACTERS = 1000;

function split(text: string): readonly Item[] {
  return Array.from(charactersOf(text.replace(/\r\n?/g, '\n')), (character) => ({ text: character }));
}

/** Returns an editor state with this text and the cursor at its end. */
export function lineState(text = '', history: readonly string[] = []): LineState {
  const items = split(text);
  return { items, cursor: items.length, cut: [], history, place: history.length, draft: [] };
}

/** Returns the whole text, including pasted blocks. */
export function lineText(state: LineState): string {
  return state.items.map((item) => item.text).join('');
}

/** Replaces a range of items and moves the cursor to the end of the new items. */
export function replaced(state: LineState, from: number, to: number, items: readonly Item[]): LineState {
  return {
    ...state,
    items: [...state.items.slice(0, from), ...items, ...state.items.slice(to)],
    cursor: from + items.length,
  };
}

/** Inserts typed text. */
export function typed(state: LineState, text: string): LineState {
  const before = state.items[state.cursor - 1];
  // A mark, or the rest of an emoji, belongs to the character before it (L1).
  const joined = before === undefined || before.pastedLines !== undefined ? [] : split(before.text + text);
  if (joined.length === 1) return replaced(state, state.cursor - 1, state.cursor, joined);
  return replaced(state, state.cursor, state.cursor, split(text));
}

/** Inserts pasted text. A long block becomes a single folded item (L2). */
export function pasted(state: LineState, text: string): LineState {
  const clean = text.replace(/\r\n?/g, '\n');
  const lines = clean.split('\n').length;
  if (lines < FOLD_LINES && clean.length < FOLD_CHARACTERS)
    return replaced(state, state.cursor, state.cursor, split(clean));
  return replaced(state, state.cursor, state.cursor, [{ text: clean, pastedLines: lines }]);
}

/** Expands the pasted block next to the cursor. Returns `undefined` if there is none. */
export function openedPaste(state: LineState, side: 'before' | 'behind' = 'before'): LineState | undefined {
  const place = side === 'before' ? state.cursor - 1 : state.cursor;
  const item = state.items[place];
  if (item?.pastedLines === undefined) return undefined;
  const opened = replaced(state, place, place + 1, split(item.text));
  return side === 'before' ? opened : at(opened, place);
}

/** Replaces the text and moves the cursor to its end. */
export function withText(state: LineState, text: string): LineState {
  const items = split(text);
  return { ...state, items, cursor: items.length };
}

function isBreak(item: Item | undefined): boolean {
  return item === undefined || item.text === '\n';
}

/** Returns the start of the cursor's line. */
export function lineStart(state: LineState): number {
  let start = state.cursor;
  while (!isBreak(state.items[start - 1])) start -= 1;
  return start;
}

/** Returns the end of the cursor's line. */
export function lineEnd(state: LineState): number {
  let end = state.cursor;
  while (!isBreak(state.items[end])) end += 1;
  return end;
}

function isWord(item: Item | undefined): boolean {
  return item !== undefined && (item.pastedLines !== undefined || /[\p{L}\p{N}_]/u.test(item.text));
}

/** Returns the start of the word before the cursor. */
export function wordLeft({ items, cursor }: LineState): number {
  let place = cursor;
  while (place > 0 && !isWord(items[place - 1])) place -= 1;
  while (place > 0 && isWord(items[place - 1])) place -= 1;
  return place;
}

/** Returns the end of the word after the cursor. */
export function wordRight({ items, cursor }: LineState): number {
  let place = cursor;
  while (place < items.length && !isWord(items[place])) place += 1;
  while (place < items.length && isWord(items[place])) place += 1;
  return place;
}

/** Moves the cursor to a position, keeping it within the text. */
export function at(state: LineState, cursor: number): LineState {
  return { ...state, cursor: Math.max(0, Math.min(cursor, state.items.length)) };
}

/** Removes a range of items. */
export function erased(state: LineState, from: number, to: number): LineState {
  return replaced(state, Math.max(0, from), Math.min(to, state.items.length), []);
}

/** Cuts a range of items. Ctrl-Y can restore it. */
export function cutOut(state: LineState, from: number, to: number): LineState {
  if (from === to) return state;
  return { ...erased(state, from, to), cut: state.items.slice(from, to) };
}

/**
 * Moves the cursor up or down one line, or browses the history if the cursor is already in the first or last
 * line.
 */
export function vertical(state: LineState, step: -1 | 1): LineState {
  const start = lineStart(state);
  const column = state.cursor - start;
  if (step === -1 && start > 0) {
    const above = at(state, start - 1);
    const aboveStart = lineStart(above);
    return at(state, Math.min(aboveStart + column, start - 1));
  }
  const end = lineEnd(state);
  if (step === 1 && end < state.items.length) {
    const below = at(state, end + 1);
    return at(state, Math.min(end + 1 + column, lineEnd(below)));
  }
  return fromHistory(state, state.place + step);
}

function fromHistory(state: LineState, place: number): LineState {
  const { history } = state;
  if (place < 0 || place > history.length) return state;
  const draft = state.place === history.length ? state.items : state.draft;
  const text = history[place];
  if (text === undefined) return { ...state, items: draft, cursor: draft.length, place, draft: [] };
  return { ...withText(state, text), place, draft };
}
