import { columnsOf, wrapShown, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import { CUT, wrappedRows } from './wrapped-rows.js';
import type { QuestionView } from '../question/question-text.js';
import { choiceName } from '../question/listed-choices.js';
import { allWords, positionWords } from '../question/key-words.js';
import type { CodeKind, Grounds, TerminalTheme } from '../device/theme.js';
import type { Span } from '../values/span.js';

/** Prefix of every row of a question. Untrusted text never appears to the left of it. */
const RULE = '┃ ';

/** Returns the rule in the color for the kind of question. */
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

/** Returns the color function for a line. Quoted text is not colored. */
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
    case 'changed':
      return (text) => text;
  }
}

/** Indent of continuation rows. */
const HANG = '  ';

type Paint = (text: string) => string;

/** Returns the background colors for an added or removed line, if the theme defines any. */
function groundsOf({ tone, label = '' }: QuestionLine, theme: TerminalTheme): Grounds | undefined {
  return label !== '' && (tone === 'added' || tone === 'removed') ? theme.grounds?.[tone] : undefined;
}

/**
 * Kinds of code that keep their color on a colored background. The other kinds would be hard to read there.
 */
const ON_GROUND: ReadonlySet<CodeKind> = new Set(['keyword', 'string', 'number']);

/**
 * Returns the color function for a piece of a line. `covers` returns whether a span covers the whole piece.
 */
function paintOfPiece(line: QuestionLine, theme: TerminalTheme, covers: (span: Span) => boolean): Paint {
  const { code = [], changed = [], both } = line;
  const base = paintOf(line, theme);
  if (both?.removed.some(covers) === true) return theme.grounds?.removed.words ?? theme.removed;
  if (both?.added.some(covers) === true) return theme.grounds?.added.words ?? theme.added;
  const grounds = groundsOf(line, theme);
  const isChanged = changed.some(covers);
  if (isChanged && grounds === undefined && theme.changed !== undefined) {
    const setOff = theme.changed;
    return (text) => setOff(base(text));
  }
  const kind = code.find(covers)?.kind;
  const isReadable = grounds === undefined || (kind !== undefined && ON_GROUND.has(kind));
  const ofKind = kind === undefined || !isReadable ? undefined : theme.syntax?.[kind];
  const isCode = theme.syntax !== undefined && code.length > 0;
  const paint = ofKind ?? (isCode || grounds !== undefined ? (text: string) => text : base);
  return isChanged && grounds !== undefined ? grounds.words : paint;
}

/** Colors one row of a line: code by its kind, with changed parts highlighted. */
function paintedRow(
  row: { readonly text: string; readonly start: number },
  line: QuestionLine,
  theme: TerminalTheme,
): string {
  const { code = [], changed = [], both } = line;
  const end = row.start + row.text.length;
  const spans = [
    ...(theme.syntax === undefined ? [] : code),
    ...changed,
    ...(both?.removed ?? []),
    ...(both?.added ?? []),
  ];
  const places = spans.flatMap((span) => [span.start, span.end]);
  const cuts = [...new Set([row.start, end, ...places])]
    .filter((place) => place >= row.start && place <= end)
    .sort((left, right) => left - right);
  return cuts
    .slice(0, -1)
    .map((from, index) => {
      const to = cuts[index + 1] ?? end;
      const covers = (span: Span): boolean => span.start <= from && span.end >= to;
      return paintOfPiece(line, theme, covers)(row.text.slice(from - row.start, to - row.start));
    })
    .join('');
}

/**
 * Returns the rows of one line for a terminal width, each with the gutter. The label and text are wrapped,
 * never cut off.
 */
function rowsOfLine(line: QuestionLine, columns: number, theme: TerminalTheme): readonly string[] {
  const { gutter, label = '', note } = line;
  const paint = paintOf(line, theme);
  const room = Math.max(8, columns - 1 - columnsOf(gutter));
  const behind = (row: string): string => `${theme.dim(gutter)}${row}`;
  // The sign of a change has its colour; what stands beside it may have those of code.
  const isChange = label !== '' && (line.tone === 'added' || line.tone === 'removed');
  const grounds = groundsOf(line, theme);
  const plainly: Paint = (text) => text;
  const paintLabel = grounds !== undefined ? plainly : isChange ? paint : theme.dim;
  const indent = columnsOf(label);
  if (indent < columns / 2) {
    const isOwn = gutter === '' || label !== '';
    const hang = isOwn ? Math.max(HANG.length, indent) : 0;
    const rows = wrappedRows(line, Math.max(8, room - Math.max(HANG.length, hang)));
    const isNoted =
      note !== undefined && rows.length === 1 && columnsOf(`${line.text}  ${note}`) <= room - indent;
    const beside = isNoted ? `  ${note}` : '';
    return rows.map((row, index) => {
      const before = index === 0 ? paintLabel(label) : hangOf(hang, row.isCut, theme);
      const shown = `${before}${paintedRow(row, line, theme)}${beside === '' ? '' : theme.dim(beside)}`;
      if (grounds === undefined) return behind(shown);
      const left = room - (index === 0 ? indent : hang) - columnsOf(row.text) - columnsOf(beside);
      return behind(grounds.row(`${shown}${' '.repeat(Math.max(0, left))}`));
    });
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

/** Returns the rows of a question's lines for a terminal width. */
export function questionRows(
  lines: readonly QuestionLine[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, columns, theme));
}

/** Layout of rows that start with the rule. */
interface Ruled {
  readonly columns: number;
  readonly theme: TerminalTheme;
  /** Row limit; once there are more rows than this, no more lines are added. */
  readonly most?: number;
  /** Text between the rule and the first row. Later rows are indented by the same width. */
  readonly lead?: string;
}

/**
 * Returns rows that start with the rule instead of the gutter. Stops adding lines once there are more than
 * `most` rows.
 */
function ruledRows(
  view: QuestionView,
  lines: readonly QuestionLine[],
  { columns, theme, most = Infinity, lead = '' }: Ruled,
): readonly string[] {
  const rule = `${ruleOf(view, theme)}${' '.repeat(lead.length)}`;
  const rows: string[] = [];
  for (const line of lines) {
    if (theme.changed !== undefined && line.isPlainOnly === true) continue;
    if (rows.length > most) return rows;
    const inner = line.gutter.startsWith(GUTTER) ? `  ${line.gutter.slice(GUTTER.length)}` : line.gutter;
    for (const row of rowsOfLine({ ...line, gutter: inner }, columns - RULE.length - lead.length, theme)) {
      rows.push(`${rule}${row}`);
    }
  }
  return rows;
}

/** Returns the title rows, with the tool's source and other notes at the right edge. */
function titleRows(view: QuestionView, { columns, theme, lead = '' }: Ruled): readonly string[] {
  const { title, origin, mark, position } = view;
  const place = position === undefined || lead !== '' ? '' : positionWords(position);
  const asides = [mark, origin, place].filter((text) => text !== '');
  const rule = ruleOf(view, theme);
  const under = `${rule}${' '.repeat(lead.length)}`;
  const room = columns - 1 - RULE.length - lead.length;
  const rows = wrapWords(title, room).map((row) => row.trimEnd());
  const left = room - columnsOf(rows.at(-1) ?? '') - 2;
  const shown = rows.map(
    (row, index) => `${index === 0 ? `${rule}${theme.key(lead)}` : under}${theme.title(row)}`,
  );
  // All of them stand beside the title, else the first of them does, and the rest below it.
  const fitting = [asides, asides.slice(0, 1)].find((some) => columnsOf(some.join(' · ')) <= left) ?? [];
  const below = asides.slice(fitting.length);
  const beside = fitting.join(' · ');
  const gap = ' '.repeat(Math.max(0, left + 2 - columnsOf(beside)));
  const last = `${shown.at(-1) ?? rule}${beside === '' ? '' : `${gap}${theme.dim(beside)}`}`;
  const others = joinedRows(below, room).flatMap((row) => wrapWords(row, room));
  return [...shown.slice(0, -1), last, ...others.map((row) => `${under}${theme.dim(row)}`)];
}

/** Joins texts into rows, fitting as many texts as possible into each row. */
function joinedRows(texts: readonly string[], room: number): readonly string[] {
  return texts.reduce<readonly string[]>((rows, text) => {
    const last = rows.at(-1);
    const longer = `${last ?? ''} · ${text}`;
    return last === undefined || columnsOf(longer) > room ? [...rows, text] : [...rows.slice(0, -1), longer];
  }, []);
}

/**
 * The rows of a question that the user must see: its title and its lines, with as much context around a
 * change as there is room for.
 */
export interface BriefRows {
  readonly title: readonly string[];
  /**
   * Returns lines with as much context as fits in `most` rows. Returns more rows if even the shortest form
   * does not fit.
   */
  readonly body: (most: number) => readonly string[];
  /** Rule at the start of each row of a scrolling window. */
  readonly rule: string;
  /** Content of the rows, independent of their width. Identifies the question when its layout changes. */
  readonly content: string;
}

/** Forms of a question's lines, from longest to shortest. */
const FORMS = ['all', 'tight', 'folded'] as const;

/**
 * Returns the rows of the first form that fits, or of the last form if none fits. Rows are cached, because
 * wrapping a long text is slow.
 */
function firstFitting(
  forms: readonly ((most: number) => readonly string[])[],
): (most: number) => readonly string[] {
  const made = forms.map((): { readonly rows: readonly string[]; readonly isWhole: boolean } => ({
    rows: [],
    isWhole: false,
  }));
  return (most) => {
    for (const [index, form] of forms.entries()) {
      const isLast = index === forms.length - 1;
      const wanted = isLast ? Infinity : most;
      const before = made[index];
      let rows = before?.rows ?? [];
      if (before?.isWhole !== true && rows.length <= wanted) {
        rows = form(wanted);
        made[index] = { rows, isWhole: rows.length <= wanted };
      }
      if (isLast || rows.length <= most) return rows;
    }
    return [];
  };
}

/** Returns the rows of a question that the user must see. */
export function briefRows(view: QuestionView, columns: number, theme: TerminalTheme): BriefRows {
  const forms = new Set(FORMS.map((form) => view.brief[form]));
  return {
    title: titleRows(view, { columns, theme }),
    body: firstFitting([...forms].map((lines) => (most) => ruledRows(view, lines, { columns, theme, most }))),
    rule: ruleOf(view, theme),
    content: contentOf([view]),
  };
}

/**
 * Returns the content that the user must see. Excludes the age of the questions, because it changes over
 * time.
 */
function contentOf(views: readonly QuestionView[]): string {
  return JSON.stringify(
    views.map(({ title, brief }) => [title, brief.tight.map(({ part, label, text }) => [part, label, text])]),
  );
}

/**
 * Lists several questions, each after its number. Lines that all questions share are shown once, below the
 * list.
 */
export function listedRows(
  views: readonly QuestionView[],
  [head = '', ...notes]: readonly string[],
  columns: number,
  theme: TerminalTheme,
): BriefRows {
  const [first] = views;
  const width = String(views.length).length;
  const leadOf = (index: number): string => `${String(index + 1).padStart(width)}  `;
  const forms = FORMS.map((form) => {
    const { own, shared } = withoutShared(views.map(({ brief }) => brief[form]));
    return (most: number): readonly string[] => {
      const rows: string[] = [];
      for (const [index, view] of views.entries()) {
        if (rows.length > most) return rows;
        const ruled = { columns, theme, most, lead: leadOf(index) };
        rows.push(...titleRows(view, ruled), ...ruledRows(view, own[index] ?? [], ruled));
      }
      const under = { columns, theme, most, lead: leadOf(0) };
      return first === undefined ? rows : [...rows, ...ruledRows(first, shared, under)];
    };
  });
  return {
    title: [
      ...wrapWords(head, columns - 1).map((row) => theme.title(row.trimEnd())),
      ...notes.flatMap((note) => wrapWords(note, columns - 1)).map((row) => theme.warning(row.trimEnd())),
    ],
    body: firstFitting(forms),
    rule: first === undefined ? '' : ruleOf(first, theme),
    content: contentOf(views),
  };
}

/** Question parts that describe the context of a call rather than the call itself. */
const SHARED: ReadonlySet<QuestionLine['part']> = new Set(['facts', 'says', 'why', 'effect']);

/**
 * Separates the lines that all questions share from the others. The label of a shared line shows how many
 * questions it applies to.
 */
function withoutShared(all: readonly (readonly QuestionLine[])[]): {
  readonly own: readonly (readonly QuestionLine[])[];
  readonly shared: readonly QuestionLine[];
} {
  const keyOf = ({ part, label, text, note }: QuestionLine): string =>
    JSON.stringify([part, label, text, note]);
  const keys = all.map((lines) => new Set(lines.map(keyOf)));
  const isShared = (line: QuestionLine): boolean =>
    SHARED.has(line.part) && keys.every((one) => one.has(keyOf(line)));
  const [first = []] = all;
  return {
    own: all.map((lines) => lines.filter((line) => !isShared(line))),
    shared: first.filter(isShared).map((line) => forAll(line, all.length)),
  };
}

/** Adds the number of questions to the label of a shared line: `sandbox for both: `. */
function forAll(line: QuestionLine, count: number): QuestionLine {
  const name = line.label?.trimEnd() ?? '';
  if (!name.endsWith(':')) return line;
  return { ...line, gutter: '', label: `${name.slice(0, -1)} for ${allWords(count)}: ` };
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

/** Returns all rows of a question, unfolded, including the choices. */
export function wholeRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  return [
    ...titleRows(view, { columns, theme }),
    ...ruledRows(view, [...view.brief.all, ...choiceLines(view)], { columns, theme }),
  ];
}

/**
 * Returns the rows below the key help. They contain details that are the same for every call or that the user
 * does not need in order to decide.
 */
export function detailRows(view: QuestionView, columns: number, theme: TerminalTheme): readonly string[] {
  return ruledRows(view, view.details, { columns, theme });
}
