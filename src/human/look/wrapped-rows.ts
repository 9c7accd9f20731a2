import { wrapShown, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';

/** Marks a row that continues a word. */
export const CUT = '↪';

/** One row of a wrapped text. */
export interface WrappedRow {
  readonly text: string;
  /** Whether the row continues the previous one without a space. */
  readonly isCut: boolean;
  /** Index in the text of the row's start. */
  readonly start: number;
}

/** A text in rows of so many columns: changes where a row is full, and all else at words; nothing is left out but spaces at a break. */
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

/** Letters of scripts without spaces count as words. */
const inWordsPattern = () => /^[!-~\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}$/u;

function isWithinWord(text: string, at: number): boolean {
  return inWordsPattern().test(text.slice(at - 1, at + 1));
}
