import { columnsOf, wrapShown } from '../../core/index.js';
import type { FoldLimits, QuestionLine } from '../values/index.js';
import { foldRows, GUTTER } from '../values/index.js';
import type { QuestionView } from './question-text.js';
import type { TerminalTheme } from '../device/index.js';

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

/** What stands before the rows in which a text goes on: nothing that is quoted begins at the edge of the screen (G31). */
const HANG = '  ';

/**
 * The rows of one line on a terminal of some width: the gutter before each, key and text wrapped and never cut. Where
 * there is no gutter, every row but the first, which begins with words of ours, stands two columns in.
 */
function rowsOfLine(line: QuestionLine, columns: number, theme: TerminalTheme): readonly string[] {
  const { gutter, label = '', text } = line;
  const paint = paintOf(line, theme);
  const room = Math.max(8, columns - 1 - columnsOf(gutter));
  const behind = (row: string): string => `${theme.dim(gutter)}${row}`;
  if (label === '' && gutter === '') return hung(text, room).map(paint);
  const indent = columnsOf(label);
  if (indent < columns / 2) {
    return wrapShown(text, Math.max(8, room - indent)).map((row, index) =>
      behind(`${index === 0 ? theme.dim(label) : ' '.repeat(indent)}${paint(row)}`),
    );
  }
  const values = text === '' ? [] : wrapShown(text, Math.max(8, room - HANG.length));
  return [
    ...wrapShown(label.trimEnd(), room).map((row) => behind(theme.dim(row))),
    ...values.map((row) => behind(`${HANG}${paint(row)}`)),
  ];
}

/** Words of ours, whatever they quote, in rows of which all but the first stand two columns in. */
function hung(text: string, room: number): readonly string[] {
  const [first = '', ...rest] = wrapShown(text, room);
  if (rest.length === 0) return [first];
  return [first, ...wrapShown(text.slice(first.length), room - HANG.length).map((row) => `${HANG}${row}`)];
}

/** The rows of a question's lines on a terminal of some width. */
export function questionRows(
  lines: readonly QuestionLine[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, columns, theme));
}

/** How much of each text is shown where not all fits: every field is there, with its head and its tail. */
export function foldLimitsFor(columns: number): FoldLimits {
  return { maxRows: Number.MAX_SAFE_INTEGER, maxLines: 6, maxCharacters: columns * 3 };
}

function headingRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  const place = view.position === undefined ? '' : ` (${view.position.index} of ${view.position.count})`;
  return hung(`${view.heading}${place}`, columns - 1).map(theme.title);
}

/** Everything of a question, its choices included. */
export function wholeRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  const choices = view.choices.map(({ number, label, description }): QuestionLine => ({
    part: 'question',
    tone: 'quoted',
    gutter: GUTTER,
    label: `${number}. `,
    text: description === undefined ? label : `${label} – ${description}`,
  }));
  return [...headingRows(view, columns, theme), ...questionRows([...view.lines, ...choices], columns, theme)];
}

/** A question with everything in it, and with its long texts folded. */
export interface TwoViews {
  readonly whole: QuestionView;
  readonly folded: QuestionView;
}

/**
 * The rows of a question that fit a screen: everything; else every field with its long texts folded; else the first and
 * last rows with the warnings between them. What is left out is counted.
 */
export function fitted(
  { whole, folded }: TwoViews,
  screen: { readonly columns: number; readonly rows: number },
  theme: TerminalTheme,
): { readonly rows: readonly string[]; readonly hidden: boolean } {
  const heading = headingRows(whole, screen.columns, theme);
  const room = Math.max(4, screen.rows - heading.length);
  const all = questionRows(whole.lines, screen.columns, theme);
  if (all.length <= room) return { rows: [...heading, ...all], hidden: false };
  const short = questionRows(folded.lines, screen.columns, theme);
  if (short.length <= room) return { rows: [...heading, ...short], hidden: true };
  // What the product warns of is on the screen before anything that was said.
  const warned = questionRows(
    whole.lines.filter(({ part }) => part === 'warnings'),
    screen.columns,
    theme,
  ).slice(0, Math.floor(room / 2));
  const said = questionRows(
    whole.lines.filter(({ part }) => part !== 'warnings'),
    screen.columns,
    theme,
  );
  const { head, tail, left } = foldRows(said, room - 1 - warned.length);
  const note = theme.warning(`⋯ ${left.length} rows hidden, v shows everything ⋯`);
  return { rows: [...heading, ...head, note, ...warned, ...tail], hidden: true };
}
