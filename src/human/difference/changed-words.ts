import { diffWordsWithSpace } from 'diff';

import type { DiffLine } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { Span } from '../values/span.js';

/** The differences between a line and its replacement, both as escaped text. */
export interface ChangedWords {
  readonly removed: readonly Span[];
  readonly added: readonly Span[];
  /** A description of each change: `“const” → “let”`. */
  readonly words: readonly string[];
  /**
   * The removed line and the added line combined into one, as in `git diff --word-diff`; absent if a line
   * contains the marks themselves.
   */
  readonly both?: BothLines;
}

/** A line that shows removed words as `[-…-]` and added words as `{+…+}`. */
export interface BothLines {
  readonly text: string;
  readonly removed: readonly Span[];
  readonly added: readonly Span[];
}

/** Text that could be mistaken for the marks. */
const MARKS = /\[-|-\]|\{\+|\+\}/;

/** Maximum number of characters in a line to compare. The time grows faster than the length (T18). */
const LONGEST = 500;
/** Minimum fraction of words in common. Lines with less in common are treated as entirely different. */
const LEAST_COMMON = 0.4;
const MOST_PAIRS = 1000;
/** Changes with more lines than this are paired in order, regardless of content. */
const MOST_ALIGNED = 60;

/** Returns the changed words in corresponding removed and added lines. */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, ChangedWords> {
  const found = new Map<DiffLine, ChangedWords>();
  for (const [removed, added] of pairsOf(lines).slice(0, MOST_PAIRS)) {
    const words = compared(escapeText(removed.text), escapeText(added.text));
    if (words === undefined) continue;
    found.set(removed, words);
    found.set(added, words);
  }
  return found;
}

/** Pairs removed lines with the added lines that replace them, in order. */
export function pairsOf(lines: readonly DiffLine[]): readonly (readonly [DiffLine, DiffLine])[] {
  return changesIn(lines).flatMap(({ removed, added }) => {
    const isOrdered = removed.length === added.length;
    const isLong = Math.max(removed.length, added.length) > MOST_ALIGNED;
    return isOrdered || isLong ? inOrder(removed, added) : aligned(removed, added);
  });
}

/** Removed lines, and the lines that replace them. */
interface Change {
  readonly removed: DiffLine[];
  readonly added: DiffLine[];
}

function changesIn(lines: readonly DiffLine[]): readonly Change[] {
  const changes: Change[] = [];
  let last: DiffLine['type'] | undefined;
  for (const line of lines) {
    const { type } = line;
    if (type === 'removed' && last !== 'removed') changes.push({ removed: [line], added: [] });
    else if (type === 'removed') changes.at(-1)?.removed.push(line);
    else if (type === 'added' && (last === 'removed' || last === 'added')) changes.at(-1)?.added.push(line);
    else if (type === 'added') changes.push({ removed: [], added: [line] });
    last = type;
  }
  return changes;
}

function inOrder(
  removed: readonly DiffLine[],
  added: readonly DiffLine[],
): readonly (readonly [DiffLine, DiffLine])[] {
  return removed.flatMap((line, at) => {
    const partner = added[at];
    return partner === undefined ? [] : [[line, partner] as const];
  });
}

/** Returns the pairs with the most words in common, in line order. */
function aligned(
  removed: readonly DiffLine[],
  added: readonly DiffLine[],
): readonly (readonly [DiffLine, DiffLine])[] {
  const [before, after] = [removed.map(wordsIn), added.map(wordsIn)];
  // The most that the lines from these two on can have in common.
  const most = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const likeAt = (row: number, column: number): number =>
    likeness(before[row] ?? NO_WORDS, after[column] ?? NO_WORDS);
  const at = (row: number, column: number): number => most[row]?.[column] ?? 0;
  for (let row = removed.length - 1; row >= 0; row -= 1) {
    for (let column = added.length - 1; column >= 0; column -= 1) {
      const like = likeAt(row, column);
      const paired = like >= LEAST_COMMON ? like + at(row + 1, column + 1) : 0;
      const line = most[row];
      if (line) line[column] = Math.max(paired, at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: (readonly [DiffLine, DiffLine])[] = [];
  for (let [row, column] = [0, 0]; row < removed.length && column < added.length;) {
    const [one, other] = [removed[row], added[column]];
    if (at(row, column) === at(row + 1, column)) row += 1;
    else if (at(row, column) === at(row, column + 1)) column += 1;
    else {
      if (one !== undefined && other !== undefined) pairs.push([one, other]);
      row += 1;
      column += 1;
    }
  }
  return pairs;
}

const NO_WORDS: ReadonlySet<string> = new Set();

function wordsIn({ text }: DiffLine): ReadonlySet<string> {
  return new Set(text.slice(0, LONGEST).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
}

/** Returns the fraction of words that two lines have in common. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.max(1, one.size, other.size);
}

function compared(before: string, after: string): ChangedWords | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  const removed: Span[] = [];
  const added: Span[] = [];
  const words: string[] = [];
  const both = new Both();
  let [at, to, common, gone] = [0, 0, 0, ''];
  for (const { value, removed: isRemoved, added: isAdded } of diffWordsWithSpace(before, after)) {
    const { length } = value;
    both.add(value, isRemoved ? 'removed' : isAdded ? 'added' : 'same');
    if (isRemoved) {
      removed.push({ start: at, end: at + length });
      gone = value.trim();
      at += length;
      continue;
    }
    if (isAdded) {
      added.push({ start: to, end: to + length });
      words.push(gone === '' ? `“${value.trim()}” added` : `“${gone}” → “${value.trim()}”`);
      to += length;
    } else {
      if (gone !== '') words.push(`“${gone}” removed`);
      common += value.trim().length;
      at += length;
      to += length;
    }
    gone = '';
  }
  if (gone !== '') words.push(`“${gone}” removed`);
  const isAlike = common >= LEAST_COMMON * Math.max(before.trim().length, after.trim().length);
  if (!isAlike) return undefined;
  return { removed, added, words, ...(!MARKS.test(before + after) && { both: both.lines }) };
}

/** Combines two lines into one, piece by piece. */
class Both {
  #text = '';
  readonly #removed: Span[] = [];
  readonly #added: Span[] = [];

  add(value: string, what: 'same' | 'removed' | 'added'): void {
    const start = this.#text.length;
    this.#text += what === 'same' ? value : what === 'removed' ? `[-${value}-]` : `{+${value}+}`;
    const span = { start, end: this.#text.length };
    if (what === 'removed') this.#removed.push(span);
    if (what === 'added') this.#added.push(span);
  }

  get lines(): BothLines {
    return { text: this.#text, removed: this.#removed, added: this.#added };
  }
}
