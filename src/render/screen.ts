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
/** Prefix of a line: its indent, and the bars of quotes. */
const BEFORE = /^ *(?:[│|] )*/;
const STEP = '  ';

/**
 * Wraps safe lines to rows. The terminal must not wrap them: a row would then start with foreign text (G31).
 * Without a width, the lines are unchanged.
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
  readonly #lastLine: LastLine;
  readonly #isSpaced: boolean;
  #inLine = false;
  /** What was written last in this turn: text of the model, a line of ours, or something of somebody else. */
  #last: 'text' | 'line' | 'other' | undefined;

  /**
   * `mark` stands before every row of text; it is ours, and the text cannot draw at its place. `lastLine` is that of
   * whoever owns the screen; without it nobody else writes there unless this pauses. `spaced` sets text off (S5).
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

  /** What is waited for has a place of its own, beside text that streams. */
  get isSplit(): boolean {
    return this.#spinner.isApart === true;
  }

  /** The call that the last line is about. */
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

  /** Puts the mark before every non-empty row of the text, before any style. */
  #marked(text: string): string {
    if (this.#mark === '') return text;
    const marked = text.replace(/\n(?=[^\n])/g, `\n${this.#mark}`);
    return this.#inLine || marked.startsWith('\n') ? marked : `${this.#mark}${marked}`;
  }

  /** Ends an unfinished line of text. */
  endText(): void {
    if (this.#inLine) this.text('\n');
  }

  /** Leaves a row free where text is above what comes next. */
  apart(): void {
    if (!this.#isSpaced || this.#last !== 'text') return;
    this.#makeRoom();
    this.endText();
    this.#stderr.write(shown`\n`); // S5
    this.#last = 'line';
  }

  /** Ends a turn: what comes next stands below no text of it. */
  endTurn(): void {
    this.#last = undefined;
  }

  /** One line to stderr; `about` is the call that it tells of. */
  line(line: string, about?: string): void {
    this.#makeRoom();
    this.endText(); // S2
    this.#stderr.write(shown`${rowsWithin(laidOut(line), this.#stderr.columns)}\n`); // S3
    this.#lastLine.wrote(about);
    this.#last = 'line';
  }

  /** Says what is waited for, if anything; in the middle of a line of text only where that has a place of its own. */
  wait(wait: Wait | undefined, above?: readonly string[]): void {
    if (wait === undefined) this.#spinner.hide();
    else if (!this.#inLine || this.isSplit) this.#spinner.show(wait, above);
  }

  /** Somebody else writes now. */
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
