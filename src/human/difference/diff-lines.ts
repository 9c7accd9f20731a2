import type { Diff, DiffLine } from '../../core/index.js';
import { columnsOf, escapeText, withContext } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import type { BothLines, ChangedWords } from './changed-words.js';
import { changedWords, pairsOf } from './changed-words.js';

const SIGNS = { same: ' ', removed: '−', added: '+', gap: ' ' } as const;
/** Marks a line that contains both the old and the new words. */
const BOTH = '±';
const TONES = { same: 'quoted', removed: 'removed', added: 'added', gap: 'own' } as const;
/** Maximum number of changes to describe in words for one line. */
const MOST_WORDS = 3;
const WORDS_COLUMNS = 60;

export interface DiffForm {
  /** Number of unchanged lines around each change. */
  readonly context: number;
  /** Whether to describe changed words in text. */
  readonly isWhole: boolean;
  /** Whether to combine a line and its replacement into one line if they have much in common. */
  readonly isFolded: boolean;
}

/** Formats a change as numbered lines. */
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

/**
 * Like `diffLines`, with each pair of lines combined into one. Unpaired lines appear before the next pair,
 * old lines before new ones.
 */
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

/**
 * Describes changed words for readers who do not see colors. Omits the description for a line with many
 * changes, because such a line is easier to read as a whole.
 */
function inWords({ number }: DiffLine, changed: ChangedWords | undefined): readonly QuestionLine[] {
  const words = changed?.words ?? [];
  const text = words.join(', ');
  if (words.length === 0 || words.length > MOST_WORDS || columnsOf(text) > WORDS_COLUMNS) return [];
  return [
    { part: 'diff', tone: 'own', gutter: '', text: `changed in ${number ?? 0}: ${text}`, isPlainOnly: true },
  ];
}
