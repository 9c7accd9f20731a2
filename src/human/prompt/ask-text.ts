import type { LineOptions } from '../line-editor/index.js';
import { editLine } from '../line-editor/index.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, underView } from './prompter.js';

/**
 * Asks for a text. Esc goes back; Ctrl-C and Ctrl-D leave everything.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function askText(
  prompter: Prompter,
  options: Omit<LineOptions, 'place'>,
): Promise<Asked<string>> {
  const { terminal, clock, theme, leave, view } = prompter;
  const result = await editLine(
    terminal,
    { guard: 'enter', ...options, place: (size, editor) => underView(view, size, editor) },
    { clock, theme },
  );
  switch (result.type) {
    case 'submitted':
      return answered(result.text);
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
