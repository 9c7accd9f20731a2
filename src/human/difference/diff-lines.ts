import type { Diff, DiffLine } from '../../core/index.js';
import { columnsOf, escapeText, withContext } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import type { ChangedWords } from './changed-words.js';
import { changedWords } from './changed-words.js';

const SIGNS = { same: ' ', removed: '−', added: '+', gap: ' ' } as const;
const TONES = { same: 'quoted', removed: 'removed', added: 'added', gap: 'own' } as const;
/** A line with more changes than this is not described word by word. */
const MOST_WORDS = 3;
const WORDS_COLUMNS = 60;

/**
 * Formats a change as numbered lines with `context` unchanged lines around each change; a complete change
 * also describes its word changes.
 */
export function diffLines(diff: Diff, context: number, isWhole: boolean): readonly QuestionLine[] {
  const lines = withContext(diff.lines, context);
  const width = Math.max(0, ...lines.map(({ number = 0 }) => String(number).length));
  const changed = changedWords(lines);
  return lines.flatMap((line) => {
    const words = changed.get(line);
    return [shownLine(line, width, words), ...(line.type === 'added' && isWhole ? inWords(line, words) : [])];
  });
}

function shownLine(
  { type, text, number }: DiffLine,
  width: number,
  changed: ChangedWords | undefined,
): QuestionLine {
  const at = number === undefined ? '⋯' : String(number);
  const spans = type === 'removed' ? changed?.removed : type === 'added' ? changed?.added : undefined;
  return {
    part: 'diff',
    tone: TONES[type],
    gutter: GUTTER,
    label: `${at.padStart(width)} ${SIGNS[type]} `,
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
