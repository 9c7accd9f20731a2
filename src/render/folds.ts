import { changeLines, titleOf, wrapShown } from '../core/index.js';
import type { DiffLine, Interrupt } from '../core/index.js';
import type { Theme } from './theme.js';
import { changeSigns } from './decision.js';
import { outputLines } from './tool-lines.js';

/** Something of which only a part was told. */
interface Fold {
  /** A safe line. */
  readonly title: string;
  /** Its size, in characters. */
  readonly length: number;
  /** All of it, as safe lines. */
  readonly lines: (theme: Theme) => readonly string[];
}

/** More than this is not kept, in characters: the oldest go first. */
const MOST_CHARACTERS = 2_000_000;
const INDENT = '  ';

/** Everything of which a session told a part, so that a person can see the rest of it. */
export class Folds {
  #folds: readonly Fold[] = [];

  /** Keeps a text from outside; `title` is safe. */
  add(title: string, text: string): void {
    this.#keep({ title, length: text.length, lines: () => outputLines(text) });
  }

  /** Keeps a change that was approved. */
  addChange(interrupt: Interrupt, lines: readonly DiffLine[]): void {
    const length = lines.reduce((sum, { text }) => sum + text.length, 0);
    this.#keep({
      title: titleOf(interrupt).text,
      length,
      lines: (theme) => changeLines(lines, changeSigns(theme)),
    });
  }

  get isEmpty(): boolean {
    return this.#folds.length === 0;
  }

  /** All of them in rows that fit, newest first. */
  rows(theme: Theme, columns: number): readonly string[] {
    const room = Math.max(8, columns - 1 - INDENT.length);
    return this.#folds.flatMap(({ title, lines }, index) => [
      ...(index === 0 ? [] : ['']),
      ...wrapShown(title, columns - 1).map(theme.strong),
      ...lines(theme).flatMap((line) => inRows(line, room, theme)),
    ]);
  }

  #keep(fold: Fold): void {
    let left = MOST_CHARACTERS - fold.length;
    const kept = this.#folds.filter(({ length }) => {
      left -= length;
      return left >= 0;
    });
    this.#folds = [fold, ...kept];
  }
}

/** A line that is not broken at words, with a mark where it continues. */
function inRows(line: string, room: number, theme: Theme): readonly string[] {
  const { wrapped } = theme.symbols;
  const [first = '', ...others] = wrapShown(line, room);
  return [
    `${INDENT}${first}`,
    ...(others.length === 0 ? [] : wrapShown(others.join(''), Math.max(8, room - 2))).map(
      (row) => `${INDENT}${theme.dim(wrapped)} ${row}`,
    ),
  ];
}
