import { columnsOf, wrapShown, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import { CUT, wrappedRows } from './wrapped-rows.js';
import type { QuestionView } from '../question/question-text.js';
import { choiceName } from '../question/listed-choices.js';
import { positionWords } from '../question/key-words.js';
import type { TerminalTheme } from '../device/theme.js';

/** Drawn before every row of a question; foreign text never appears left of it. */
const RULE = '┃ ';

/** Returns the rule in the colour of the question's kind. */
function ruleOf({ interrupt }: QuestionView, theme: TerminalTheme): string {
  switch (interrupt.kind) {
    case 'question':
      return theme.key(RULE);
    case 'confirmation':
    case 'gate':
      return theme.warning(RULE);
    case 'in-doubt':
    case 'error':
      return theme.error(RULE);
    case 'pause':
    case 'limit':
      return theme.stop(RULE);
  }
}

/** Colours a line; foreign text has no colours of its own. */
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

/** Indent of continued rows. */
const HANG = '  ';

type Paint = (text: string) => string;

/** Colours a row: code by kind, changes highlighted. */
function paintedRow(
  row: { readonly text: string; readonly start: number },
  { code = [], changed = [] }: QuestionLine,
  theme: TerminalTheme,
  base: Paint,
): string {
  const { syntax, changed: setOff } = theme;
  if (row.text === '' || ((syntax === undefined || code.length === 0) && changed.length === 0))
    return base(row.text);
  const end = row.start + row.text.length;
  const places = [...code, ...changed].flatMap((span) => [span.start, span.end]);
  const cuts = [...new Set([row.start, end, ...places])]
    .filter((place) => place >= row.start && place <= end)
    .sort((left, right) => left - right);
  return cuts
    .slice(0, -1)
    .map((from, index) => {
      const to = cuts[index + 1] ?? end;
      const text = row.text.slice(from - row.start, to - row.start);
      const covers = (span: { readonly start: number; readonly end: number }): boolean =>
        span.start <= from && span.end >= to;
      if (setOff !== undefined && changed.some(covers)) return setOff(base(text));
      const kind = code.find(covers)?.kind;
      if (syntax === undefined || code.length === 0) return base(text);
      return kind === undefined ? text : syntax[kind](text);
    })
    .join('');
}

/** The rows of one line on a terminal of some width: the gutter before each, key and text wrapped and never cut. */
function rowsOfLine(line: QuestionLine, columns: number, theme: TerminalTheme): readonly string[] {
  const { gutter, label = '', note } = line;
  const paint = paintOf(line, theme);
  const room = Math.max(8, columns - 1 - columnsOf(gutter));
  const behind = (row: string): string => `${theme.dim(gutter)}${row}`;
  // The sign of a change has its colour; what stands beside it may have those of code.
  const isChange = label !== '' && (line.tone === 'added' || line.tone === 'removed');
  const paintLabel = isChange ? paint : theme.dim;
  const indent = columnsOf(label);
  if (indent < columns / 2) {
    const isOwn = gutter === '' || label !== '';
    const hang = isOwn ? Math.max(HANG.length, indent) : 0;
    const rows = wrappedRows(line, Math.max(8, room - Math.max(HANG.length, hang)));
    const isNoted =
      note !== undefined && rows.length === 1 && columnsOf(`${line.text}  ${note}`) <= room - indent;
    return rows.map((row, index) =>
      behind(
        `${index === 0 ? paintLabel(label) : hangOf(hang, row.isCut, theme)}${paintedRow(row, line, theme, paint)}${isNoted ? theme.dim(`  ${note}`) : ''}`,
      ),
    );
  }
  const values = line.text === '' ? [] : wrappedRows(line, Math.max(8, room - HANG.length));
  return [
    ...wrapShown(label.trimEnd(), room).map((row) => behind(theme.dim(row))),
    ...values.map(({ text, isCut }) => behind(`${hangOf(HANG.length, isCut, theme)}${paint(text)}`)),
  ];
}

function hangOf(columns: number, isCut: boolean, theme: TerminalTheme): string {
  return isCut ? `${' '.repeat(Math.max(0, columns - HANG.length))}${theme.dim(CUT)} ` : ' '.repeat(columns);
}

/** The rows of a question's lines on a terminal of some width. */
export function questionRows(
  lines: readonly QuestionLine[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, columns, theme));
}

/** Draws rows after the rule, which replaces the gutter; stops after `most` rows. */
function ruledRows(
  view: QuestionView,
  lines: readonly QuestionLine[],
  { columns, theme, most = Infinity }: { columns: number; theme: TerminalTheme; most?: number },
): readonly string[] {
  const rule = ruleOf(view, theme);
  const rows: string[] = [];
  for (const line of lines) {
    if (theme.changed !== undefined && line.isPlainOnly === true) continue;
    if (rows.length > most) return rows;
    const inner = line.gutter.startsWith(GUTTER) ? `  ${line.gutter.slice(GUTTER.length)}` : line.gutter;
    for (const row of rowsOfLine({ ...line, gutter: inner }, columns - RULE.length, theme)) {
      rows.push(`${rule}${row}`);
    }
  }
  return rows;
}

/** Returns the title, with the tool's source at the right edge. */
function titleRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  const { title, origin, position } = view;
  const place = position === undefined ? '' : positionWords(position);
  const aside = [origin, place].filter((text) => text !== '').join(' · ');
  const rule = ruleOf(view, theme);
  const room = columns - 1 - RULE.length;
  const rows = wrapWords(title, room).map((row) => row.trimEnd());
  const last = rows.at(-1) ?? '';
  const gap = room - columnsOf(last) - columnsOf(aside);
  const shown = rows.map((row) => `${rule}${theme.title(row)}`);
  if (aside === '') return shown;
  const end = `${' '.repeat(Math.max(0, gap))}${theme.dim(aside)}`;
  if (gap >= 2) return [...shown.slice(0, -1), `${shown.at(-1) ?? rule}${end}`];
  return [...shown, ...wrapWords(aside, room).map((row) => `${rule}${theme.dim(row)}`)];
}

/** The rows of a question that must be seen: title and lines, with as much context as fits. */
export interface BriefRows {
  readonly title: readonly string[];
  /** Lines with as much context as fits `most` rows; more rows if even the least context does not fit. */
  readonly body: (most: number) => readonly string[];
  /** The rule before the rows of a window that scrolls. */
  readonly rule: string;
}

/** Returns the rows of a question as asked. */
export function briefRows(view: QuestionView, columns: number, theme: TerminalTheme): BriefRows {
  let all: readonly string[] = [];
  let madeFor = -Infinity;
  let tight: readonly string[] | undefined;
  return {
    title: titleRows(view, columns, theme),
    body: (most) => {
      // Rows are made once: of a long text they take a while.
      if (all.length <= most && madeFor < most) {
        all = ruledRows(view, view.brief.all, { columns, theme, most });
        madeFor = all.length <= most ? Infinity : most;
      }
      return all.length <= most ? all : (tight ??= ruledRows(view, view.brief.tight, { columns, theme }));
    },
    rule: ruleOf(view, theme),
  };
}

function choiceLines({ choices }: QuestionView): readonly QuestionLine[] {
  return choices.map((choice): QuestionLine => ({
    part: 'question',
    tone: 'quoted',
    gutter: GUTTER,
    label: `${choice.number}. `,
    text: `${choiceName(choice)}${choice.description === undefined ? '' : ` – ${choice.description}`}`,
  }));
}

/** Everything of a question, its choices included. */
export function wholeRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  const rule = ruleOf(view, theme);
  const place = view.position === undefined ? '' : ` (${positionWords(view.position)})`;
  const heading = wrapShown(`${view.heading}${place}`, columns - 1 - RULE.length);
  return [
    ...heading.map((row) => `${rule}${theme.title(row)}`),
    ...ruledRows(view, [...view.lines, ...choiceLines(view)], { columns, theme }),
  ];
}
