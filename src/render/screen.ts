import type { Shown } from '../core/index.js';
import { columnsOf, LastLine, shown, laidOut, WordWrap } from '../core/index.js';
import type { Wait } from './activity.js';
import { outputColumns } from './output.js';
import type { Output } from './output.js';
import type { Spinner } from './no-spinner.js';

// Invariants:
// S1 The spinner is off the screen before anything is written, to whichever stream, unless it has a place of its own.
// S3 Of a line that is wider than the screen, only the first row begins at its edge.
// S2 A line of ours begins at the start of a line, also when text of the model was in the middle of one.
// S5 Where it is spaced, a row is free between text of the model and what stands above and below it in the same turn.
// S4 What is written here, and by others while it is paused, ends what the last line was about.

// Our own styles stand before the text that they are for.
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;
/** Prefix of a line: its indentation and quote bars. */
const BEFORE = /^ *(?:[│|] )*/;
const STEP = '  ';

/**
 * Wraps safe lines into rows, so that the terminal does not wrap them. If the terminal did, a row could start
 * with untrusted text (G31). Without a width, lines are unchanged.
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

/**
 * Combines the two output streams of a terminal into one screen. Model text goes to stdout; lines about the
 * run go to stderr.
 */
export class Screen {
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #spinner: Spinner;
  readonly #mark: string;
  readonly #lastLine: LastLine;
  readonly #isSpaced: boolean;
  #inLine = false;
  /**
   * The kind of output written last in this turn: model text, a line about the run, or output from other
   * code.
   */
  #last: 'text' | 'line' | 'other' | undefined;

  /**
   * `mark` is shown before every row of text, in a column that the text cannot write to. `lastLine` is shared
   * with other code that writes to the screen. If it is omitted, other code must not write unless this screen
   * is paused. `spaced` separates text from other lines (S5).
   */
  constructor(
    stdout: Output,
    stderr: Output,
    spinner: Spinner,
    { mark = '', lastLine = new LastLine(), spaced = false } = {},
  ) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#spinner = spinner;
    this.#mark = mark;
    this.#isSpaced = spaced;
    this.#lastLine = lastLine;
  }

  /** Whether the spinner has a row of its own, separate from streaming text. */
  get isSplit(): boolean {
    return this.#spinner.isApart === true;
  }

  /** The call that the last line belongs to. */
  get about(): string | undefined {
    return this.#lastLine.about;
  }

  get columns(): number {
    return outputColumns(this.#stderr);
  }

  get textColumns(): number {
    return outputColumns(this.#stdout) - columnsOf(this.#mark);
  }

  /** Writes text to stdout without escaping. */
  text(text: string): void {
    if (text === '') return;
    this.#makeRoom();
    const isBelow = this.#last === 'line' || this.#last === 'other';
    if (this.#isSpaced && isBelow && !text.startsWith('\n')) this.#stderr.write(shown`\n`); // S5
    this.#last = 'text';
    this.#stdout.write(laidOut(this.#marked(text)));
    this.#lastLine.wrote();
    this.#inLine = !text.endsWith('\n');
  }

  /** Puts the mark before every non-empty row of text, ahead of any style. */
  #marked(text: string): string {
    if (this.#mark === '') return text;
    const marked = text.replace(/\n(?=[^\n])/g, `\n${this.#mark}`);
    return this.#inLine || marked.startsWith('\n') ? marked : `${this.#mark}${marked}`;
  }

  /** Ends an unfinished line of text. */
  endText(): void {
    if (this.#inLine) this.text('\n');
  }

  /** Adds an empty row after text, before the next output. */
  apart(): void {
    if (!this.#isSpaced || this.#last !== 'text') return;
    this.#makeRoom();
    this.endText();
    this.#stderr.write(shown`\n`); // S5
    this.#last = 'line';
  }

  /** Ends a turn, so that no empty row is added between its text and the next output. */
  endTurn(): void {
    this.#last = undefined;
  }

  /** Writes one line to stderr. `about` is the call that it belongs to. */
  line(line: string, about?: string): void {
    this.#makeRoom();
    this.endText(); // S2
    this.#stderr.write(shown`${rowsWithin(laidOut(line), this.#stderr.columns)}\n`); // S3
    this.#lastLine.wrote(about);
    this.#last = 'line';
  }

  /**
   * Shows the current wait, if any. In the middle of a line of text, it is shown only if the spinner has a
   * row of its own.
   */
  wait(wait: Wait | undefined, above?: readonly string[]): void {
    if (wait === undefined) this.#spinner.hide();
    else if (!this.#inLine || this.isSplit) this.#spinner.show(wait, above);
  }

  /** Hides the spinner because other code is about to write. */
  quiet(): void {
    this.#spinner.hide();
    this.#lastLine.wrote(); // S4
    if (this.#last !== undefined) this.#last = 'other';
  }

  /** S1 */
  #makeRoom(): void {
    if (!this.isSplit) this.#spinner.hide();
  }
}
