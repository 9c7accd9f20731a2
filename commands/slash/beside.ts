import { readPromptLine } from '../../src/repl/index.js';
import { SLASH_COMMANDS } from './table.js';

/**
 * Takes lines while a question is put aside: a command that changes nothing of the session runs at once, one after the
 * other, and so does one that nobody knows. Gives false for every other line: it waits behind the answer.
 */
export function besideQuestion(
  run: (name: string, argument: string) => Promise<unknown>,
  failed: (thrown: unknown) => void,
): (line: string) => boolean {
  let last: Promise<unknown> = Promise.resolve();
  return (line) => {
    const read = readPromptLine(line);
    if (read.type === 'text') return false;
    const { name, argument } = read;
    if (SLASH_COMMANDS.find((one) => one.name === name)?.beside === false) return false;
    last = last.then(() => run(name, argument)).catch(failed);
    return true;
  };
}
