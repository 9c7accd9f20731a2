import { wrapShown, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';

/** Marks a row that starts in the middle of a word. */
export const CUT = '↪';

/** A row of wrapped text. */
export interface WrappedRow {
  readonly text: string;
  /** Whether the row starts in the middle of a word of the previous row. */
  readonly isCut: boolean;
  /** Index of the row's start in the text. */
  readonly start: number;
}

/**
 * Wraps text to a number of columns. Diffs break wherever a row is full; other text breaks between words.
 * Only spaces at the breaks are dropped.
 */
export function wrappedRows({ text, part, tone }: QuestionLine, columns: number): readonly WrappedRow[] {
  let end = 0;
  if (part === 'diff' && tone !== 'own') {
    return wrapShown(text, columns).map((row, index) => {
      const start = end;
      end += row.length;
      return { text: row, isCut: index > 0, start };
    });
  }
  return wrapWords(text, columns).map((row, index, { length }) => {
    const shown = index < length - 1 ? row.trimEnd() : row;
    const start = text.indexOf(shown.trimStart(), end);
    const isCut = index > 0 && start === end && isWithinWord(text, start);
    end = Math.max(0, start) + shown.trimStart().length;
    return { text: shown, isCut, start };
  });
}

/**
 * Matches two adjacent characters of the same word. In scripts without spaces, a break is allowed between any
 * two letters.
 */
const inWordsPattern = () => /^[!-~\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}$/u;

function isWithinWord(text: string, at: number): boolean {
  return inWordsPattern().test(text.slice(at - 1, at + 1));
}
