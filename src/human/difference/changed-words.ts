import { diffWordsWithSpace } from 'diff';

import type { DiffLine } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { Span } from '../values/span.js';

/** The difference between a line and its replacement, as escaped texts. */
export interface ChangedWords {
  readonly removed: readonly Span[];
  readonly added: readonly Span[];
  /** Each change as text: `“const” → “let”`. */
  readonly words: readonly string[];
}

/** Longer lines are not compared: time grows faster than their length (T18). */
const LONGEST = 500;
/** Lines with less in common than this count as wholly different. */
const LEAST_COMMON = 0.4;
const MOST_PAIRS = 200;

/** Returns the changed words of corresponding removed and added lines. */
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

/** The first removed line of a change with its first added one, and so on. */
function pairsOf(lines: readonly DiffLine[]): readonly (readonly [DiffLine, DiffLine])[] {
  const pairs: (readonly [DiffLine, DiffLine])[] = [];
  let removed: DiffLine[] = [];
  let added = 0;
  for (const line of lines) {
    const partner = line.type === 'added' ? removed[added] : undefined;
    if (partner !== undefined) pairs.push([partner, line]);
    if (line.type === 'added') added += 1;
    else {
      if (line.type !== 'removed' || added > 0) removed = [];
      added = 0;
      if (line.type === 'removed') removed.push(line);
    }
  }
  return pairs;
}

function compared(before: string, after: string): ChangedWords | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  const removed: Span[] = [];
  const added: Span[] = [];
  const words: string[] = [];
  let [at, to, common, gone] = [0, 0, 0, ''];
  for (const { value, removed: isRemoved, added: isAdded } of diffWordsWithSpace(before, after)) {
    const { length } = value;
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
  return isAlike ? { removed, added, words } : undefined;
}
