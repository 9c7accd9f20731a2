import { wrapWords } from '../../core/index.js';
import type { TerminalTheme } from '../device/theme.js';

const LEAST_ROOM = 8;

/** A line that was entered, as it stands in the transcript: behind its prompt, broken at words. */
export function enteredRows(
  shown: string,
  {
    prompt,
    columns,
    theme,
  }: { readonly prompt: string; readonly columns: number; readonly theme: TerminalTheme },
): string {
  const room = Math.max(LEAST_ROOM, columns - 1 - prompt.length);
  const rows = shown.split('\n').flatMap((line) => wrapWords(line, room));
  const indent = ' '.repeat(prompt.length);
  return rows.map((row, index) => `${index === 0 ? theme.key(prompt) : indent}${row}\n`).join('');
}
