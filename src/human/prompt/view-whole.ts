import { columnsOf } from '../../core/index.js';
import type { HeldTerminal, TerminalEvent } from '../device/ports.js';
import type { Key } from '../device/keys.js';
import { shownWhole } from '../device/region.js';
import { unbroken } from '../device/sequences.js';
import { PAGER_KEYS, placeWords } from '../question/key-words.js';
import { GuardedKeys } from './guard.js';
import type { KeyChoice } from './key-prompt.js';
import type { Prompter } from './prompter.js';

/** Letters that move or close the view. */
const OWN_KEYS: ReadonlySet<string> = new Set(['b', 'j', 'k', 'q', 'v']);
/** A row, and the status below it. */
const LEAST_ROWS = 2;
const TOP = '\u001b[H\u001b[2J';

/** The result of a view: whether every row was on screen, and the deciding key, if any. */
export interface Viewed<Value> {
  readonly seen: boolean;
  readonly decided?: { readonly value: Value };
}

class Pager<Value> {
  #first = 0;
  #seen = 0;
  #rows: readonly string[];
  readonly #terminal: HeldTerminal;
  readonly #makeRows: (columns: number) => readonly string[];
  readonly #dim: (text: string) => string;
  readonly #decisions: readonly KeyChoice<Value>[];

  constructor(
    { terminal, theme }: Prompter,
    makeRows: (columns: number) => readonly string[],
    decisions: readonly KeyChoice<Value>[],
  ) {
    this.#terminal = terminal;
    this.#makeRows = makeRows;
    this.#dim = theme.dim;
    this.#decisions = decisions.filter(({ key, disabled }) => disabled === undefined && !OWN_KEYS.has(key));
    this.#rows = makeRows(terminal.columns);
  }

  /** Whether every row has been on screen. */
  get complete(): boolean {
    return this.#seen >= this.#rows.length;
  }

  draw(): void {
    const terminal = this.#terminal;
    const page = this.#page;
    this.#first = Math.max(0, Math.min(this.#first, this.#rows.length - page));
    const last = Math.min(this.#first + page, this.#rows.length);
    const shown = this.#rows.slice(this.#first, last);
    // Rows that were skipped over were not seen, nor what the screen has no room for.
    const whole = terminal.rows < LEAST_ROWS ? 0 : shownWhole(shown, terminal.columns);
    if (this.#first <= this.#seen) this.#seen = Math.max(this.#seen, this.#first + whole);
    const place = placeWords(this.#first + 1, last, this.#rows.length);
    const keys = this.complete
      ? [PAGER_KEYS.back, ...this.#decisions.map(({ key, label }) => `${key} ${label}`)]
      : [PAGER_KEYS.next, PAGER_KEYS.back];
    const status = [...keys, PAGER_KEYS.move].reduce((row, more) => {
      const longer = `${row} · ${more}`;
      return columnsOf(longer) < terminal.columns ? longer : row;
    }, place);
    terminal.raw(`${TOP}${unbroken([...shown, this.#dim(status)].join('\r\n'))}`);
  }

  /** Returns the choice of a key; none before every row was seen. */
  choiceOf(key: Key): KeyChoice<Value> | undefined {
    if (!this.complete || key.ctrl || key.meta) return undefined;
    return this.#decisions.find((choice) => choice.key === key.text);
  }

  resize(): void {
    const wasComplete = this.complete;
    this.#rows = this.#makeRows(this.#terminal.columns);
    this.#seen = wasComplete ? this.#rows.length : 0;
    this.#first = 0;
    this.draw();
  }

  /** False if the key closes the view. */
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
 * Shows rows page by page. Resolves with whether all of them were seen; jumping to the end skips the rows in
 * between.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function viewWhole(
  prompter: Prompter,
  makeRows: (columns: number) => readonly string[],
): Promise<boolean> {
  const { seen } = await viewAndDecide(prompter, makeRows, []);
  return seen;
}

/**
 * Like `viewWhole`, but the keys of `decisions` also work once every row was seen, guarded like at the
 * question (G30).
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function viewAndDecide<Value>(
  prompter: Prompter,
  makeRows: (columns: number) => readonly string[],
  decisions: readonly KeyChoice<Value>[],
): Promise<Viewed<Value>> {
  const { terminal, clock } = prompter;
  terminal.signal.throwIfAborted();
  const pager = new Pager(prompter, makeRows, decisions);
  terminal.alternate(true);
  pager.draw();
  const decided = await new Promise<{ readonly value: Value } | undefined>((resolve) => {
    const close = (choice?: { readonly value: Value }) => {
      guarded.drop();
      stop();
      terminal.signal.removeEventListener('abort', withdrawn);
      terminal.alternate(false);
      resolve(choice);
    };
    const withdrawn = () => {
      close();
    };
    const guarded = new GuardedKeys(clock, {
      key: (key) => {
        const choice = pager.choiceOf(key);
        if (choice !== undefined) close(choice);
      },
      refused: () => undefined,
      decides: (key) => pager.choiceOf(key) !== undefined,
    });
    const stop = terminal.listen((event) => {
      guarded.hear(event);
      hear(prompter, pager, { event, close });
    });
    terminal.signal.addEventListener('abort', withdrawn, { once: true });
  });
  terminal.signal.throwIfAborted();
  return { seen: pager.complete, ...(decided && { decided: { value: decided.value } }) };
}

/** Handles keys that scroll or close a view; none of them decides. */
function hear<Value>(
  { terminal, leave }: Prompter,
  pager: Pager<Value>,
  { event, close }: { readonly event: TerminalEvent; readonly close: () => void },
): void {
  switch (event.type) {
    case 'key':
      if (event.key.ctrl && event.key.name === 'c') leave('Ctrl-C');
      else if (pager.choiceOf(event.key) === undefined && !pager.press(event.key)) close();
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
}
