import type { RunState, TodoItem } from '../../src/core/index.js';
import { currentTodo, lastTodo, plainLine, todoCount } from '../../src/core/index.js';

/** Rows of a list that is open. */
const MOST_ROWS = 10;
const MARKS = { open: '☐', doing: '▸', done: '✓' } as const;

/** The steps that the model plans, above the prompt: one row, or the list while it is open. */
export class Steps {
  #state: (() => RunState) | undefined;
  #items: readonly TodoItem[] = [];
  /** The messages that were read, and the last of them: after a rewind they are others. */
  #read = 0;
  #last: unknown;

  /** From now on it tells of a session. */
  follow(state: () => RunState): void {
    this.#state = state;
  }

  /** Nothing where there is no list, or all of it is done. */
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

  /** Reads the messages that were added since; all of them where some were taken back. */
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
