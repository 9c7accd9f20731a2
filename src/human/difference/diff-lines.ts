import type { Diff, DiffLine } from '../../core/index.js';
import { columnsOf, escapeText, withContext } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import type { BothLines, ChangedWords } from './changed-words.js';
import { changedWords, pairsOf } from './changed-words.js';

const SIGNS = { same: ' ', removed: '−', added: '+', gap: ' ' } as const;
/** Before a line that has its old words and its new ones. */
const BOTH = '±';
const TONES = { same: 'quoted', removed: 'removed', added: 'added', gap: 'own' } as const;
/** A line with more changes than this is not described word by word. */
const MOST_WORDS = 3;
const WORDS_COLUMNS = 60;

export interface DiffForm {
  /** Unchanged lines around each change. */
  readonly context: number;
  /** Tells the changes of words in words. */
  readonly isWhole: boolean;
  /** Lines that have much in common with those in their place stand with them in one. */
  readonly isFolded: boolean;
}

/** A change as lines with their numbers. */
export function diffLines(diff: Diff, { context, isWhole, isFolded }: DiffForm): readonly QuestionLine[] {
  const lines = withContext(diff.lines, context);
  const width = Math.max(0, ...lines.map(({ number = 0 }) => String(number).length));
  const changed = changedWords(lines);
  if (isFolded) return foldedLines(lines, width, changed);
  return lines.flatMap((line) => {
    const words = changed.get(line);
    return [shownLine(line, width, words), ...(line.type === 'added' && isWhole ? inWords(line, words) : [])];
  });
}

/** The same with pairs of lines in one; what has no pair stands before the next pair, old before new. */
function foldedLines(
  lines: readonly DiffLine[],
  width: number,
  changed: ReadonlyMap<DiffLine, ChangedWords>,
): readonly QuestionLine[] {
  const partners = new Map(pairsOf(lines));
  const shown: QuestionLine[] = [];
  const show = (line: DiffLine): void => {
    shown.push(shownLine(line, width, changed.get(line)));
  };
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const end = (): void => {
    let next = 0;
    for (const line of removed) {
      const partner = partners.get(line);
      const both = changed.get(line)?.both;
      if (partner === undefined || both === undefined) {
        show(line);
        continue;
      }
      const at = added.indexOf(partner, next);
      added.slice(next, at).forEach(show);
      shown.push(bothLine(partner, width, both));
      next = at + 1;
    }
    added.slice(next).forEach(show);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.type === 'added') added.push(line);
    else {
      if (line.type !== 'removed' || added.length > 0) end();
      if (line.type === 'removed') removed.push(line);
      else show(line);
    }
  }
  end();
  return shown;
}

function bothLine(line: DiffLine, width: number, { text, ...both }: BothLines): QuestionLine {
  return { part: 'diff', tone: 'changed', gutter: GUTTER, label: labelOf(line, width, BOTH), text, both };
}

function labelOf({ number }: DiffLine, width: number, sign: string): string {
  return `${(number === undefined ? '⋯' : String(number)).padStart(width)} ${sign} `;
}

function shownLine(line: DiffLine, width: number, changed: ChangedWords | undefined): QuestionLine {
  const { type, text } = line;
  const spans = type === 'removed' ? changed?.removed : type === 'added' ? changed?.added : undefined;
  return {
    part: 'diff',
    tone: TONES[type],
    gutter: GUTTER,
    label: labelOf(line, width, SIGNS[type]),
    text: escapeText(text),
    ...(spans !== undefined && { changed: spans }),
  };
}

/** Describes the word changes for readers without colours. A line with many changes is read as a whole. */
function inWords({ number }: DiffLine, changed: ChangedWords | undefined): readonly QuestionLine[] {
  const words = changed?.words ?? [];
  const text = words.join(', ');
  if (words.length === 0 || words.length > MOST_WORDS || columnsOf(text) > WORDS_COLUMNS) return [];
  return [
    { part: 'diff', tone: 'own', gutter: '', text: `changed in ${number ?? 0}: ${text}`, isPlainOnly: true },
  ];
}
