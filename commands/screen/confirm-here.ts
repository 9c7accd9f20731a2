import type { EarlyAnswer, LineSource } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { personHere } from '../host/index.js';
import { askInLines } from './lines-here.js';
import { columnsOf, isDumb } from './terminal-facts.js';
import { askHere } from './terminal-here.js';
import {
  chooseOne,
  confirmLine,
  confirmOne,
  confirmEarly,
  createLinePerson,
  pickLine,
} from '../../src/human/seated.js';

export interface Confirmation {
  readonly message: string;
  /** Describes what `y` does. Never contains untrusted text. */
  readonly yes: string;
  readonly no: string;
}

export interface ConfirmOptions {
  /** The color flag. Commander sets it to false for `--no-color`. */
  readonly color: boolean;
  /** The existing line reader of a plain terminal, if any. */
  readonly lines?: LineSource | undefined;
}

/**
 * Asks the user at the terminal to confirm something, outside a conversation. Anything except a deliberate
 * `y` means no.
 */
export async function confirmHere(
  io: Io,
  { color, lines }: ConfirmOptions,
  question: Confirmation,
): Promise<boolean> {
  if (isDumb(io)) return askInLines(io, lines, (context, signal) => confirmLine(context, question, signal));
  return askHere(io, color, (context, signal) => confirmOne(context, question, signal));
}

/**
 * Lets the user choose one of several rows, outside a conversation. Returns `undefined` if the user chooses
 * none.
 */
export async function chooseHere(
  io: Io,
  { color, lines }: ConfirmOptions,
  question: { readonly message: string; readonly rows: readonly string[] },
): Promise<number | undefined> {
  if (!isDumb(io)) return askHere(io, color, (context, signal) => chooseOne(context, question, signal));
  const { message } = question;
  const rows = question.rows.map((text, value) => ({ value, facts: [], text }));
  return askInLines(io, lines, (context, signal) => pickLine(context, { message, rows }, signal));
}

/**
 * Shows the user a question and an answer that was typed before the question was shown, and asks whether to
 * use the answer.
 */
export async function confirmEarlyHere(
  io: Io,
  { color }: ConfirmOptions,
  early: EarlyAnswer,
): Promise<boolean> {
  if (!isDumb(io)) return askHere(io, color, (context, signal) => confirmEarly(context, early, signal));
  return askInLines(io, undefined, (context, signal) => {
    const { clock, stderr } = io;
    const place = { clock, actor: personHere(io, 'answer'), columns: () => columnsOf(stderr).columns };
    return createLinePerson({ ...context, ...place, echo: () => true }).confirmEarly(early, signal);
  });
}
