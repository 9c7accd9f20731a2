import type { Shown } from '../core/index.js';
import { columnsOf, WordWrap, laidOut } from '../core/index.js';

// Our own styles stand before the text that they are for.
// eslint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;
/** The beginning that a line stands behind: its indent, and the bars of what it quotes. */
const BEFORE = /^ *(?:[│|] )*/;
const STEP = '  ';

/**
 * Safe lines as rows of a screen, broken at words by us and not by the terminal: no row begins with text from outside,
 * which it would where the terminal breaks a line (G31). Without a width the lines stay as they are.
 */
export function rowsWithin(lines: Shown, columns: number | undefined): Shown {
  if (columns === undefined) return lines;
  return laidOut(
    lines
      .split('\n')
      .map((line) => rowsOf(line, columns))
      .join('\n'),
  );
}

function rowsOf(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  const [before = ''] = BEFORE.exec(line.replace(STYLES, '')) ?? [];
  const isQuoted = before.trim() !== '';
  const prefix = line.startsWith(before) ? before : '';
  const wrap = new WordWrap(() => columns - 1);
  const begun = wrap.begin(prefix, isQuoted ? before : `${before}${STEP}`);
  return begun + wrap.push(line.slice(prefix.length)) + wrap.flush();
}
