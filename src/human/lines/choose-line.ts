import type { Shown } from '../../core/index.js';
import { escapeText, shown, laidOut } from '../../core/index.js';
import type { PickRow } from '../prompt/pick-rows.js';
import { factsInColumns } from '../prompt/pick-rows.js';
import type { LineSource } from '../script/line-source.js';

/** Input and output for plain-line prompts outside a conversation. */
export interface LineContext {
  readonly lines: LineSource;
  readonly write: (text: Shown) => void;
}

/** Asks a yes-or-no question in plain lines. Any answer except `y` or `yes` means no. */
export async function confirmLine(
  { lines, write }: LineContext,
  { message, yes, no }: { readonly message: string; readonly yes: string; readonly no: string },
  signal: AbortSignal,
): Promise<boolean> {
  write(laidOut(`${message}\n  y = ${yes}\n  n = ${no}\nYour answer: `));
  const line = await lines.next(signal);
  if (line === undefined) write(shown`\n`);
  return ['y', 'yes'].includes(line?.text.trim().toLowerCase() ?? '');
}

/** Lets the user choose a row from a list by its number. Returns `undefined` if none was chosen. */
export async function pickLine<Value>(
  { lines, write }: LineContext,
  { message, rows }: { readonly message: string; readonly rows: readonly PickRow<Value>[] },
  signal: AbortSignal,
): Promise<Value | undefined> {
  const facts = factsInColumns(rows);
  const listed = rows.map(({ text, below = [] }, index) => {
    const said = [escapeText(text), ...below].join('  ');
    return `  ${index + 1}. ${facts[index] ?? ''}${said}\n`;
  });
  write(laidOut(`${message}\n${listed.join('')}A number: `));
  const line = await lines.next(signal);
  if (line === undefined) write(shown`\n`);
  const number = line?.text.trim() ?? '';
  return /^\d+$/u.test(number) ? rows[Number(number) - 1]?.value : undefined;
}
