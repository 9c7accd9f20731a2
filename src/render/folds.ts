import { changeLines, titleOf, wrapShown } from '../core/index.js';
import type { DiffLine, Interrupt } from '../core/index.js';
import type { Theme } from './theme.js';
import { changeSigns } from './decision.js';
import { outputLines } from './tool-lines.js';

/** Text that was shown only in part. */
interface Fold {
  /** A safe line. */
  readonly title: string;
  /** Length in characters. */
  readonly length: number;
  /** Returns the whole text as safe lines. */
  readonly lines: (theme: Theme) => readonly string[];
}

/** Maximum number of characters kept. The oldest entries are dropped first. */
const MOST_CHARACTERS = 2_000_000;
const INDENT = '  ';

/** Keeps texts that a session showed only in part, so that the user can view them in full. */
export class Folds {
  #folds: readonly Fold[] = [];

  /** Keeps untrusted text. `title` must be safe. */
  add(title: string, text: string): void {
    this.#keep({ title, length: text.length, lines: () => outputLines(text) });
  }

  /** Keeps an approved change. */
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

  /** Formats all entries, newest first, in rows that fit the width. */
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

/** Wraps a line at any character, marking each continuation row. */
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
