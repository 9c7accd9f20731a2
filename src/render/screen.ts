import { columnsOf, shown, laidOut } from '../core/index.js';
import type { Wait } from './activity.js';
import { outputColumns } from './output.js';
import type { Output } from './output.js';
import { rowsWithin } from './rows-within.js';
import type { Spinner } from './no-spinner.js';

// Invariants:
// S1 The spinner is off the screen before anything is written, to whichever stream.
// S3 Of a line that is wider than the screen, only the first row begins at its edge.
// S2 A line of ours begins at the start of a line, also when text of the model was in the middle of one.

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
