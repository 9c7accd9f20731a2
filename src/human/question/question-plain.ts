import type { Interrupt, Shown } from '../../core/index.js';
import { columnsOf, firstRow, plainLine, laidOut, shown } from '../../core/index.js';
import { exampleAnswer, formOf } from './form-fields.js';
import { questionContent } from './question-content.js';
import { positionWords } from './key-words.js';
import { titleLineOf } from './words.js';
import type { QuestionLine } from '../values/index.js';
import { GUTTER } from '../values/index.js';
import type { QuestionView } from './question-text.js';

/** A question as plain lines, for stderr of a script and for terminals without cursor control. Ends without a line break. */
export function renderQuestionPlain(view: QuestionView): Shown {
  const place = view.position === undefined ? '' : ` (${positionWords(view.position)})`;
  const lines = [
    `${view.heading}${place} [${view.interrupt.id}]`,
    ...view.lines.map(plain),
    ...view.choices.map(choiceLine),
    ...view.form.map((line) => `  ${GUTTER}${line}`),
  ];
  const words = view.ways.map(({ line, label }) => `${line} = ${label}`);
  return laidOut([...lines, `  answer with: ${words.join(' · ')}`].join('\n'));
}

function plain(line: QuestionLine): string {
  return `  ${line.gutter}${line.label === undefined ? '' : `${line.label}${line.text === '' ? '' : ' '.repeat(line.label.endsWith(' ') ? 0 : 1)}`}${line.text}`;
}

function choiceLine({ number, label, description }: QuestionView['choices'][number]): string {
  return `  │ ${number}. ${label}${description === undefined ? '' : ` (${description})`}`;
}

/** Says what an interrupt asks, on one line of at most `maxWidth` columns: for lists. The thing itself, then why. */
export function oneLineOf(interrupt: Interrupt, maxWidth = 100): Shown {
  const { text } = questionContent(interrupt);
  const { kind } = interrupt;
  const title = titleLineOf(interrupt);
  if (kind === 'question') return plainLine(text ?? title, maxWidth);
  const head = laidOut(columnsOf(title) <= maxWidth ? title : cutShown(title, maxWidth));
  const room = maxWidth - columnsOf(head) - 3;
  return text === undefined || room < 8 ? head : shown`${head} · ${plainLine(text, room)}`;
}

/** An answer that can be typed for a question that asks for several things, as a line of JSON; else nothing. */
export function exampleFor(interrupt: Interrupt): string | undefined {
  const form = formOf(interrupt);
  return form && exampleAnswer(form);
}

/** Text that is safe already, cut without splitting its notation. */
function cutShown(shown: string, maxWidth: number): string {
  return `${firstRow(shown, maxWidth - 1)}…`;
}
