import { columnsOf, wrapShown } from '../core/index.js';
import type { QuestionLine } from './question-line.js';
import type { TerminalTheme } from './terminal-theme.js';

/** Colour for the words of a line; text from outside has none of its own. */
function paintOf(line: QuestionLine, theme: TerminalTheme): (text: string) => string {
  switch (line.tone) {
    case 'warning':
      return theme.warning;
    case 'hidden':
      return theme.warning;
    case 'own':
      return theme.dim;
    case 'added':
      return theme.added;
    case 'removed':
      return theme.removed;
    case 'quoted':
      return (text) => text;
  }
}

/** The rows of one line on a terminal of some width: the gutter before each, the text wrapped and never cut. */
function rowsOfLine(line: QuestionLine, columns: number, theme: TerminalTheme): readonly string[] {
  const { gutter, label = '', text } = line;
  const paint = paintOf(line, theme);
  const indent = columnsOf(label) < columns / 2 ? columnsOf(label) : 2;
  const room = Math.max(8, columns - 1 - columnsOf(gutter) - indent);
  const rows = wrapShown(text, room).map((row, index) => {
    const before = index === 0 && indent === columnsOf(label) ? theme.dim(label) : ' '.repeat(indent);
    return `${theme.dim(gutter)}${before}${paint(row)}`;
  });
  return indent === columnsOf(label) ? rows : [`${theme.dim(gutter)}${theme.dim(label)}`, ...rows];
}

/** The rows of a question's lines on a terminal of some width. */
export function questionRows(
  lines: readonly QuestionLine[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, columns, theme));
}
