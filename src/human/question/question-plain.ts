import type { Interrupt } from '../../core/index.js';
import { plainLine } from '../../core/index.js';
import { questionContent } from './question-content.js';
import { headingOf, subjectOf } from './question-heading.js';
import type { QuestionLine } from '../values/index.js';
import type { QuestionView } from './question-text.js';

/** A question as plain lines, for stderr of a script and for terminals without cursor control. Ends without a line break. */
export function renderQuestionPlain(view: QuestionView): string {
  const place = view.position === undefined ? '' : ` (${view.position.index} of ${view.position.count})`;
  const lines = [
    `${view.heading}${place} [${view.interrupt.id}]`,
    ...view.lines.map(plain),
    ...view.choices.map(choiceLine),
  ];
  const words = view.ways.map(({ line, label }) => `${line} = ${label}`);
  return [...lines, `  answer with: ${words.join(' · ')}`].join('\n');
}

function plain(line: QuestionLine): string {
  return `  ${line.gutter}${line.label === undefined ? '' : `${line.label}${line.text === '' ? '' : ' '.repeat(line.label.endsWith(' ') ? 0 : 1)}`}${line.text}`;
}

function choiceLine({ number, label, description }: QuestionView['choices'][number]): string {
  return `  │ ${number}. ${label}${description === undefined ? '' : ` (${description})`}`;
}

/** What an interrupt asks, on one line of at most `maxWidth` columns: for lists. */
export function oneLineOf(interrupt: Interrupt, maxWidth = 100): string {
  const { text } = questionContent(interrupt);
  const { source } = interrupt;
  const said = text ?? (source.type === 'tool' ? JSON.stringify(source.input) : undefined);
  const what =
    source.type === 'tool'
      ? headingOf(interrupt, undefined).split(' · ')[0]
      : headingOf(interrupt, undefined);
  const start = what ?? subjectOf(source);
  return said === undefined
    ? start
    : `${start}: ${plainLine(said, Math.max(8, maxWidth - start.length - 2))}`;
}
