import type { Interrupt, SessionId, Shown } from '../../core/index.js';
import {
  askingCall,
  columnsOf,
  escapeText,
  firstRow,
  inQuotes,
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
 * Formats a question as plain lines, for a script's stderr and for terminals without cursor control. The
 * result does not end with a line break.
 */
export function renderQuestionPlain(view: QuestionView): Shown {
  return plainQuestion(view, view.lines);
}

/** Like `renderQuestionPlain`, but includes the details that a terminal shows after `?`. */
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
 * Returns everything that the user must see before answering, as rows of plain text. Nothing is folded or
 * left out, and no row starts with untrusted text.
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
 * Summarizes an interrupt for lists, in one line of at most `maxWidth` columns: the call, followed by the
 * reason for asking.
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
 * Returns the command to print below a question. If the question is shown in full, the command answers it;
 * otherwise, the command shows the question in full. In output for people, only this command contains
 * digests, so that a digest never appears below a partial question (G16).
 * @param typed the answer to repeat in the command
 */
export function commandBelow(session: SessionId, view: QuestionView, typed?: string): Shown {
  return view.fullViewRequired ? showCommand(session) : answerCommand(session, view.interrupt, typed);
}

/** Returns the command that prints a question in full, to print below a partial question. */
export function showCommand(session: SessionId): Shown {
  return shown`hitl show ${escapeText(session)} prints the full request and its digest`;
}

/**
 * Returns the command that answers a question from any terminal, including the digest. By default, the answer is
 * `y` if that is a valid answer, otherwise a placeholder. Use it in output that contains the whole interrupt; for
 * text, use `commandBelow`.
 */
export function answerCommand(session: SessionId, interrupt: Interrupt, typed?: string): Shown {
  const isPlainYes = plainWays(interrupt).some(({ line }) => line === 'y');
  const usual = isPlainYes ? shown`y` : shown`<answer>`;
  const answer = typed === undefined ? usual : escapeText(/^[\w-]+$/u.test(typed) ? typed : inQuotes(typed));
  return shown`hitl answer ${escapeText(session)} ${answer} --digest ${shortDigest(interrupt)}`;
}

/**
 * Returns an example answer, as one line of JSON, for a question that asks for several values. Returns
 * `undefined` for other questions.
 */
export function exampleFor(interrupt: Interrupt): string | undefined {
  const form = formOf(interrupt);
  return form && exampleAnswer(form);
}

/** Shortens escaped text without splitting an escape sequence. */
function cutShown(shown: string, maxWidth: number): string {
  return `${firstRow(shown, maxWidth - 1)}…`;
}
