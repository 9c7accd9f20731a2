import type { Shown } from '../core/index.js';
import { columnsOf, shown, laidOut, WordWrap } from '../core/index.js';
import type { Wait } from './activity.js';
import { outputColumns } from './output.js';
import type { Output } from './output.js';
import type { Spinner } from './no-spinner.js';

// Invariants:
// S1 The spinner is off the screen before anything is written, to whichever stream.
// S3 Of a line that is wider than the screen, only the first row begins at its edge.
// S2 A line of ours begins at the start of a line, also when text of the model was in the middle of one.

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

/** The two streams of a terminal as one screen: text of the model on one, lines about the run on the other. */
export class Screen {
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #spinner: Spinner;
  readonly #mark: string;
  #inLine = false;

  /** `mark` stands before every row of text; it is ours, and the text cannot draw at its place. */
  constructor(stdout: Output, stderr: Output, spinner: Spinner, mark = '') {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#spinner = spinner;
    this.#mark = mark;
  }

  get columns(): number {
    return outputColumns(this.#stderr);
  }

  get textColumns(): number {
    return outputColumns(this.#stdout) - columnsOf(this.#mark);
  }

  /** Text to stdout, as it is. */
  text(text: string): void {
    if (text === '') return;
    this.#spinner.hide(); // S1
    this.#stdout.write(laidOut(this.#marked(text)));
    this.#inLine = !text.endsWith('\n');
  }

  /** Every row of the text behind the mark, whatever styles it begins with; empty rows have none. */
  #marked(text: string): string {
    if (this.#mark === '') return text;
    const marked = text.replace(/\n(?=[^\n])/g, `\n${this.#mark}`);
    return this.#inLine || marked.startsWith('\n') ? marked : `${this.#mark}${marked}`;
  }

  /** Ends a line of text that has begun. */
  endText(): void {
    if (this.#inLine) this.text('\n');
  }

  /** One line to stderr. */
  line(line: string): void {
    this.#spinner.hide(); // S1
    this.endText(); // S2
    this.#stderr.write(shown`${rowsWithin(laidOut(line), this.#stderr.columns)}\n`); // S3
  }

  /** Says what is waited for, if anything; nothing while text of the model is in the middle of a line. */
  wait(wait: Wait | undefined): void {
    if (wait === undefined) this.#spinner.hide();
    else if (!this.#inLine) this.#spinner.show(wait);
  }

  quiet(): void {
    this.#spinner.hide();
  }
}
