import { wrapShown, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';

/** Before a row that goes on within a word. */
export const CUT = '↪';

/** A row of a text that may be too long for one. */
export interface WrappedRow {
  readonly text: string;
  /** It goes on where the row before it was full, without a space between them. */
  readonly isCut: boolean;
  /** The place in the text where it begins. */
  readonly start: number;
}

/** A text in rows of so many columns: changes where a row is full, and all else at words; nothing is left out but spaces at a break. */
export function wrappedRows({ text, part }: QuestionLine, columns: number): readonly WrappedRow[] {
  let end = 0;
  if (part === 'diff') {
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

/** Letters of scripts that are written without spaces are words of their own. */
const inWordsPattern = () => /^[!-~\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}$/u;

function isWithinWord(text: string, at: number): boolean {
  return inWordsPattern().test(text.slice(at - 1, at + 1));
}
