import type { LineOptions } from '../line-editor/line-editor.js';
import { editLine } from '../line-editor/line-editor.js';
import type { JsonValue } from '../../core/index.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, underView } from './prompter.js';

/** The state of a form that the user left before finishing it. */
export interface FormDraft {
  readonly value: JsonValue;
  readonly index: number;
  /** Text of the field at which the user left the form. Never a secret. */
  readonly text?: string;
  /** Whether anything differs from the initial values. */
  readonly isChanged: boolean;
}

/** Keeps an unfinished form while its question is open in this process. */
export interface FormDrafts {
  read(): FormDraft | undefined;
  keep(draft: FormDraft | undefined): void;
}

/** Keeps the text typed at one question, separately for each of its forms and line prompts. */
export interface QuestionDrafts {
  of(form: string): FormDrafts;
}

/**
 * Asks for text. Esc goes back. Ctrl-C and Ctrl-D close all open prompts.
 * @throws the reason of the terminal's signal if the question is withdrawn.
 */
export async function askText(
  prompter: Prompter,
  options: Omit<LineOptions, 'place' | 'goesUp' | 'goesOn'>,
): Promise<Asked<string>> {
  const result = await askLine(prompter, options);
  return result.type === 'answered' ? result : BACK;
}

/**
 * Asks for text like `askText`, but keeps the typed text when the user leaves the prompt, and restores it the
 * next time.
 */
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

/** The result of a form line. `went-up` moves to the previous field, `went-on` to the next one. */
export type AskedLine = Asked<string> | { readonly type: 'went-up' | 'went-on'; readonly text: string };

/**
 * Asks for a line, which the user can also leave with ↑ or Tab if the options allow it.
 * @throws the reason of the terminal's signal if the question is withdrawn.
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
