import type { RunState, TodoItem } from '../../src/core/index.js';
import { currentTodo, lastTodo, plainLine, todoCount } from '../../src/core/index.js';

/** Maximum number of rows of an open list to show. */
const MOST_ROWS = 10;
const MARKS = { open: '☐', doing: '▸', done: '✓' } as const;

/** The model's planned steps, shown above the prompt: one row, or the whole list while it is open. */
export class Steps {
  #state: (() => RunState) | undefined;
  #items: readonly TodoItem[] = [];
  /**
   * Number of messages read, and the last of them. If a different message is at that position, the session
   * was rewound.
   */
  #read = 0;
  #last: unknown;

  /** Shows this session's steps from now on. */
  follow(state: () => RunState): void {
    this.#state = state;
  }

  /** Returns the rows to draw. Returns no rows if there is no list or every step is done. */
  rows(isOpen: boolean, columns: number): readonly string[] {
    const items = this.#current();
    const current = currentTodo(items);
    if (current === undefined) return [];
    if (!isOpen)
      return [plainLine(`${MARKS.doing} ${todoCount(items)} · Ctrl-T all · ${current.text}`, columns)];
    const from = Math.max(0, Math.min(items.indexOf(current) - 2, items.length - MOST_ROWS));
    const shown = items.slice(from, from + MOST_ROWS);
    const left = items.length - shown.length;
    return [
      ...shown.map(({ text, state }) => plainLine(`${MARKS[state]} ${text}`, columns)),
      `${todoCount(items)}${left > 0 ? `, ${left} not shown` : ''} · Ctrl-T closes`,
    ];
  }

  /** Reads the messages added since the last call, or all of them if some were undone. */
  #current(): readonly TodoItem[] {
    const entries = this.#state?.().entries;
    if (entries === undefined) return [];
    const isSame = this.#read > 0 && entries.at(this.#read - 1) === this.#last;
    const found = lastTodo(entries, isSame ? this.#read : 0);
    if (found !== undefined || !isSame) this.#items = found ?? [];
    this.#read = entries.length;
    this.#last = entries.at(entries.length - 1);
    return this.#items;
  }
}
