import type { HeldTerminal, Key } from '../device/index.js';
import type { Prompter } from './prompter.js';

const TOP = '\u001b[H\u001b[2J';

class Pager {
  #first = 0;
  #seen = 0;
  #rows: readonly string[];
  readonly #terminal: HeldTerminal;
  readonly #makeRows: (columns: number) => readonly string[];
  readonly #dim: (text: string) => string;

  constructor(
    terminal: HeldTerminal,
    makeRows: (columns: number) => readonly string[],
    dim: (text: string) => string,
  ) {
    this.#terminal = terminal;
    this.#makeRows = makeRows;
    this.#dim = dim;
    this.#rows = makeRows(terminal.columns);
  }

  /** True once every row has been on the screen. */
  get complete(): boolean {
    return this.#seen >= this.#rows.length;
  }

  draw(): void {
    const terminal = this.#terminal;
    const page = this.#page;
    this.#first = Math.max(0, Math.min(this.#first, this.#rows.length - page));
    const last = Math.min(this.#first + page, this.#rows.length);
    // Rows that were skipped over were not seen.
    if (this.#first <= this.#seen) this.#seen = Math.max(this.#seen, last);
    const place = `${this.#first + 1}–${last} of ${this.#rows.length}`;
    const keys = this.complete ? 'q back' : 'Space next page · q back';
    const status = `${place} · ${keys} · ↑↓ PgUp PgDn`.slice(0, terminal.columns - 1);
    terminal.raw(`${TOP}${this.#rows.slice(this.#first, last).join('\r\n')}\r\n${this.#dim(status)}`);
  }

  resize(): void {
    const wasComplete = this.complete;
    this.#rows = this.#makeRows(this.#terminal.columns);
    this.#seen = wasComplete ? this.#rows.length : 0;
    this.#first = 0;
    this.draw();
  }

  /** False where the key closes the view. */
  press(key: Key): boolean {
    const step = this.#stepOf(key);
    if (step === undefined) return key.name !== 'q' && key.name !== 'escape' && key.name !== 'v';
    this.#first += step;
    this.draw();
    return true;
  }

  get #page(): number {
    return Math.max(1, this.#terminal.rows - 1);
  }

  #stepOf(key: Key): number | undefined {
    switch (key.name) {
      case 'down':
      case 'enter':
      case 'j':
        return 1;
      case 'up':
      case 'k':
        return -1;
      case 'space':
      case 'pagedown':
        return this.#page;
      case 'pageup':
      case 'b':
        return -this.#page;
      case 'home':
        return -this.#first;
      case 'end':
        return this.#rows.length;
      default:
        return undefined;
    }
  }
}

/**
 * Shows rows that do not fit the screen, page by page, beside what is on the screen now.
 * Resolves with whether all of them were seen; jumping to the end does not count for what was jumped over.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function viewWhole(
  { terminal, theme, leave }: Prompter,
  makeRows: (columns: number) => readonly string[],
): Promise<boolean> {
  terminal.signal.throwIfAborted();
  const pager = new Pager(terminal, makeRows, theme.dim);
  terminal.alternate(true);
  pager.draw();
  await new Promise<void>((resolve) => {
    const close = () => {
      stop();
      terminal.signal.removeEventListener('abort', close);
      terminal.alternate(false);
      resolve();
    };
    const stop = terminal.listen((event) => {
      switch (event.type) {
        case 'key':
          if (event.key.ctrl && event.key.name === 'c') leave('Ctrl-C');
          else if (!pager.press(event.key)) close();
          return;
        case 'resized':
          pager.resize();
          return;
        case 'continued':
          terminal.alternate(true);
          pager.draw();
          return;
        case 'stopping': // the device leaves the second screen
        case 'paste':
          return;
      }
    });
    terminal.signal.addEventListener('abort', close, { once: true });
  });
  terminal.signal.throwIfAborted();
  return pager.complete;
}
