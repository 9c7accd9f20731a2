import type { Key } from '../device/keys.js';

export class HistorySearch {
  readonly #lines: readonly string[];
  #term = '';
  /** Number of matching lines that are newer than the one shown. */
  #older = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get term(): string {
    return this.#term;
  }

  /** The matching line: the newest, or an older one if the search has moved back. */
  get found(): string | undefined {
    const fitting = this.#fitting;
    return fitting.at(-1 - Math.min(this.#older, Math.max(0, fitting.length - 1)));
  }

  press(key: Key): 'searching' | 'taken' | 'left' {
    if (key.ctrl && key.name === 'r') this.#older = Math.min(this.#older + 1, this.#fitting.length - 1);
    else if (key.name === 'escape' || (key.ctrl && key.name === 'g')) return 'left';
    else if (key.name === 'backspace') this.#type(this.#term.slice(0, -1));
    else if (key.text !== '') this.#type(this.#term + key.text);
    else return 'taken';
    return 'searching';
  }

  get #fitting(): readonly string[] {
    const term = this.#term.toLowerCase();
    return [...new Set(this.#lines)].filter((line) => line.toLowerCase().includes(term));
  }

  #type(term: string): void {
    this.#term = term;
    this.#older = 0;
  }
}
