import type { Interrupt, SessionId, Shown } from '../../core/index.js';
import {
  askingCall,
  columnsOf,
  escapeText,
  firstRow,
  plainLine,
  laidOut,
  nameOfKey,
  operationOf,
  shortDigest,
  shown,
  waitOf,
  waitVerb,
} from '../../core/index.js';
import { exampleAnswer, formOf } from './form-fields.js';
import { choiceName } from './listed-choices.js';
import { questionContent } from './question-content.js';
import { plainWays } from './fitting-lines.js';
import { positionWords } from './key-words.js';
import { bracketed, titleLineOf } from './words.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import type { QuestionView } from './question-text.js';

/**
 * Returns a question as plain lines, for stderr of a script and terminals without cursor control, without a final
 * line break.
 */
export function renderQuestionPlain(view: QuestionView): Shown {
  return plainQuestion(view, view.lines);
}

/** The same with what a terminal keeps behind `?`: what is the same at every call, and what a run of it does. */
export function renderQuestionWhole(view: QuestionView): Shown {
  return plainQuestion(view, [...view.lines, ...view.details]);
}

function plainQuestion(view: QuestionView, shownLines: readonly QuestionLine[]): Shown {
  const place = view.position === undefined ? '' : ` (${positionWords(view.position)})`;
  const aside = [view.mark, view.origin].map((words) => (words === '' ? '' : `, ${words}`)).join('');
  const lines = [
    `${view.title}${place} [${view.interrupt.id}]${aside}`,
    ...shownLines.map((line) => plain(line)),
    ...view.choices.map((choice) => choiceLine(choice)),
    ...view.form.map((line) => `  ${GUTTER}${line}`),
  ];
  const words = view.ways.map(({ line, label }) => `${line} = ${label}`);
  return laidOut([...lines, `  answer with: ${words.join(' · ')}`].join('\n'));
}

/**
 * Returns everything that must be seen before an answer, as rows of plain text. Nothing is folded or left
 * out, and no row starts with foreign text.
 */
export function askedRows(view: QuestionView): readonly string[] {
  const { title, origin, mark, position, brief, choices, form } = view;
  const aside = [mark, origin, position === undefined ? '' : positionWords(position)];
  return [
    title,
    ...aside.filter((words) => words !== ''),
    ...brief.all.map((line) => plain(line, '')),
    ...choices.map((choice) => choiceLine(choice, '')),
    ...form.map((line) => `${GUTTER}${line}`),
  ];
}

function plain({ gutter, label, text, note }: QuestionLine, indent = '  '): string {
  const start = label === undefined || text === '' || label.endsWith(' ') ? (label ?? '') : `${label} `;
  return `${indent}${gutter}${start}${text}${note === undefined ? '' : `  ${bracketed(note)}`}`;
}

function choiceLine(choice: QuestionView['choices'][number], indent = '  '): string {
  const { number, description } = choice;
  return `${indent}${GUTTER}${number}. ${choiceName(choice)}${description === undefined ? '' : ` (${description})`}`;
}

/**
 * Summarizes an interrupt in one line of at most `maxWidth` columns, for lists: the call, then the reason.
 */
export function oneLineOf(interrupt: Interrupt, maxWidth = 100): Shown {
  const wait = waitOf(interrupt);
  if (wait !== undefined)
    return plainLine(`${nameOfKey(operationOf(interrupt) ?? 'it')} ${waitVerb(wait)}`, maxWidth);
  const { text } = questionContent(interrupt);
  const { kind } = interrupt;
  const title = titleLineOf(interrupt);
  if (kind === 'question') return plainLine(`${askingCall(interrupt)}${text ?? title}`, maxWidth);
  const head = laidOut(columnsOf(title) <= maxWidth ? title : cutShown(title, maxWidth));
  const room = maxWidth - columnsOf(head) - 3;
  return text === undefined || room < 8 ? head : shown`${head} · ${plainLine(text, room)}`;
}

/**
 * Returns the command to print below a question: one that answers it if it is complete, else one that shows
 * all of it. Text for people prints digests only here, so none appears next to a partial question (G16).
 */
export function commandBelow(session: SessionId, view: QuestionView): Shown {
  return view.fullViewRequired ? showCommand(session) : answerCommand(session, view.interrupt);
}

/** Returns the command that shows the open questions, printed next to a partial question. */
export function showCommand(session: SessionId): Shown {
  return shown`hitl show ${escapeText(session)} prints all of it and its digest`;
}

/**
 * Returns the command that answers a question from anywhere: a yes if one letter suffices, with the digest.
 * For documents with the whole interrupt; text for people uses `commandBelow`.
 */
export function answerCommand(session: SessionId, interrupt: Interrupt): Shown {
  const isPlainYes = plainWays(interrupt).some(({ line }) => line === 'y');
  const answer = isPlainYes ? shown`y` : shown`<answer>`;
  return shown`hitl answer ${escapeText(session)} ${answer} --digest ${shortDigest(interrupt)}`;
}

/** Returns an example answer, as a line of JSON, for a question that asks for several values. */
export function exampleFor(interrupt: Interrupt): string | undefined {
  const form = formOf(interrupt);
  return form && exampleAnswer(form);
}

/** Text that is safe already, cut without splitting its notation. */
function cutShown(shown: string, maxWidth: number): string {
  return `${firstRow(shown, maxWidth - 1)}…`;
}
