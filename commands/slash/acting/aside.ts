import { shown } from '../../../src/core/index.js';
import type { SlashHandler } from '../context.js';

/** `/answer` and `/cancel` at the prompt: with a question put aside they never come this far. */
export const nothingAside: SlashHandler = (_argument, _context, print) => {
  print(shown`no question is open`);
};
