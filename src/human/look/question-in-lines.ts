import type { Way } from '../../core/index.js';
import { columnsOf, wrapWords } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import type { QuestionView } from '../question/question-text.js';
import { positionWords } from '../question/key-words.js';
import { bracketed } from '../question/words.js';
import { wrappedRows } from './wrapped-rows.js';

const INDENT = '  ';
/** Replaces the first space of the indent if a row continues a word. */
const CUT = '>';

/**
 * Formats a question for a plain-line terminal: the same content as on a screen, but in ASCII and wrapped, so
 * that no row starts with untrusted text (G31). The result does not end with a line break.
 */
export function questionInLines(view: QuestionView, columns: number): string {
  return [
    askedInLines(view, columns),
    'Answer with one of:',
    ...view.ways.flatMap((way) => ownRows(INDENT, wayWords(way, view), columns)),
  ].join('\n');
}

/** Formats a question like `questionInLines`, but without the available answers. */
export function askedInLines(view: QuestionView, columns: number): string {
  const { title, origin, mark, position, interrupt } = view;
  const place = position === undefined ? '' : ` (${positionWords(position)})`;
  const from = [mark, origin].map((words) => (words === '' ? '' : `, ${words}`)).join('');
  return [
    ...ownRows('', `[${interrupt.id}] ${title}${place}${from}`, columns),
    ...view.brief.all.flatMap((line) => lineRows(line, columns)),
    ...view.form.flatMap((line) => lineRows(saidLine(line), columns)),
    ...view.choices.flatMap(({ number, label, answers, description }) =>
      lineRows(
        saidLine(
          `${number}. ${label}${answers === undefined ? '' : ` -> ${answers}`}${description === undefined ? '' : ` - ${description}`}`,
        ),
        columns,
      ),
    ),
  ].join('\n');
}

/** Describes one possible answer: what to enter and what it does. */
function wayWords({ action, line, label, takes }: Way, view: QuestionView): string {
  const { interrupt, choices, form } = view;
  if (takes === 'input') return `${line}: ${label}; edit +{…} changes only these properties`;
  const { kind, source } = interrupt;
  if (line === 'y' && kind === 'confirmation' && source.type === 'tool')
    return `${line}: ${label}; y and … adds a message for the model`;
  if (interrupt.kind !== 'question' || action !== 'respond' || form.length > 0) return `${line}: ${label}`;
  if (choices.length === 0) return 'your answer';
  const numbers = choices.length === 1 ? '1' : `1 to ${choices.length}`;
  const [what, text] = view.multiple ? ['choices, comma-separated', 'their texts'] : ['a choice', 'its text'];
  return view.allowOther
    ? `${numbers} for ${what}, ${text}, or your own words`
    : `${numbers} for ${what}, or ${text}`;
}

function saidLine(text: string): QuestionLine {
  return { part: 'question', tone: 'quoted', gutter: GUTTER, text };
}

/** Wraps the product's own text, indenting continuation rows. */
function ownRows(before: string, text: string, columns: number): readonly string[] {
  const room = Math.max(8, columns - 1 - before.length - INDENT.length);
  return wrapWords(text, room).map((row, index) => `${before}${index === 0 ? '' : INDENT}${row.trimEnd()}`);
}

function lineRows(line: QuestionLine, columns: number): readonly string[] {
  const { text, note } = line;
  const label = (line.label ?? '').replace(/ − $/, ' - ');
  const before = `${INDENT}${line.gutter.replaceAll('│', '|').replaceAll('┆', ':')}`;
  const start = label === '' || text === '' || label.endsWith(' ') ? label : `${label} `;
  const shown = `${start}${text}${note === undefined ? '' : ` ${bracketed(note)}`}`;
  const room = Math.max(8, columns - 1 - columnsOf(before) - INDENT.length);
  return wrappedRows({ ...line, text: shown }, room).map(({ text: row, isCut }, index) => {
    const hang = index === 0 ? '' : isCut ? `${CUT} ` : INDENT;
    return `${before}${hang}${row}`.trimEnd();
  });
}
