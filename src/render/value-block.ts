import { columnsOf, escapeLines, isJsonArray, isJsonObject } from '../core/index.js';
import type { JsonValue } from '../core/index.js';
import type { Theme } from './theme.js';
import { wholeLine } from './value-line.js';

const STEP = 2;

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => ' '.repeat(STEP) + line);
}

/** Formats one property, on the line of its marker if it fits, otherwise on the lines below. */
function member(mark: string, value: JsonValue, theme: Theme, columns: number): readonly string[] {
  const line = wholeLine(value);
  if (columnsOf(mark) + 1 + columnsOf(line) <= columns && !spansLines(value)) return [`${mark} ${line}`];
  return [mark, ...indented(valueBlock(value, theme, columns - STEP))];
}

function spansLines(value: JsonValue): boolean {
  return typeof value === 'string' && value.includes('\n');
}

/** Formats a complete value as safe lines: one line if it fits, and multi-line text after a bar. */
export function valueBlock(value: JsonValue, theme: Theme, columns: number): readonly string[] {
  const line = isJsonObject(value) ? wholeLine(value, 'bare') : wholeLine(value);
  if (columnsOf(line) <= columns && !spansLines(value)) return [line];
  if (typeof value === 'string') return escapeLines(value).map((text) => `${theme.symbols.bar} ${text}`);
  if (isJsonArray(value)) return value.flatMap((item) => member('-', item, theme, columns));
  if (!isJsonObject(value)) return [line];
  return Object.entries(value).flatMap(([name, item]) =>
    member(`${wholeLine(name, 'bare')}:`, item, theme, columns),
  );
}
