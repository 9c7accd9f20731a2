import type { LineOptions } from '../line-editor/line-editor.js';
import { editLine } from '../line-editor/line-editor.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, underView } from './prompter.js';

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
