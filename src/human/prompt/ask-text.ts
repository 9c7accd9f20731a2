import type { LineOptions } from '../line-editor/line-editor.js';
import { editLine } from '../line-editor/line-editor.js';
import type { JsonValue } from '../../core/index.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, underView } from './prompter.js';

/** A form as it was left: it goes on from there. */
export interface FormDraft {
  readonly value: JsonValue;
  readonly index: number;
  /** The text of the field in which it was left; never one of a secret. */
  readonly text?: string;
  /** Something in it differs from what the form began with. */
  readonly isChanged: boolean;
}

/** Keeps forms that were left, for as long as their question is open in this process. */
export interface FormDrafts {
  read(): FormDraft | undefined;
  keep(draft: FormDraft | undefined): void;
}

/** What was typed at one question: in its forms, and in each line that it asks for. */
export interface QuestionDrafts {
  of(form: string): FormDrafts;
}

/**
 * Asks for a text. Esc goes back; Ctrl-C and Ctrl-D leave everything.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function askText(
  prompter: Prompter,
  options: Omit<LineOptions, 'place' | 'goesUp' | 'goesOn'>,
): Promise<Asked<string>> {
  const result = await askLine(prompter, options);
  return result.type === 'answered' ? result : BACK;
}

/** Asks for a text like `askText`; what was typed is kept when it is left, and stands there the next time. */
export async function askKept(
  prompter: Prompter,
  drafts: FormDrafts | undefined,
  options: Omit<LineOptions, 'place' | 'goesUp' | 'goesOn' | 'left'>,
): Promise<Asked<string>> {
  const left = drafts?.read()?.text;
  return askText(prompter, {
    ...options,
    ...(left !== undefined && left !== '' && { initial: left }),
    left: (text) => drafts?.keep({ value: null, index: 0, text, isChanged: text !== '' }),
  });
}

/** The result of a line of a form: `went-up` goes to the line before, `went-on` to those behind it. */
export type AskedLine = Asked<string> | { readonly type: 'went-up' | 'went-on'; readonly text: string };

/**
 * Asks for a line; ↑ may leave it.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function askLine(prompter: Prompter, options: Omit<LineOptions, 'place'>): Promise<AskedLine> {
  const { terminal, clock, theme, leave, view } = prompter;
  const result = await editLine(
    terminal,
    { guard: 'enter', ...options, place: (size, editor) => underView(view, size, () => editor) },
    { clock, theme },
  );
  switch (result.type) {
    case 'submitted':
      return answered(result.text);
    case 'went-up':
    case 'went-on':
      return result;
    case 'escaped':
      return BACK;
    case 'interrupted':
      leave('Ctrl-C');
      break;
    case 'ended':
      leave('Ctrl-D');
      break;
    case 'withdrawn':
      break;
  }
  terminal.signal.throwIfAborted();
  return BACK;
}
