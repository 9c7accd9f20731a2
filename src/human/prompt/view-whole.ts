import { columnsOf, escapeText, plainLine } from '../../core/index.js';
import type { HeldTerminal, TerminalEvent } from '../device/ports.js';
import type { Key } from '../device/keys.js';
import { shownWhole } from '../device/region.js';
import { unbroken } from '../device/sequences.js';
import { ASKED_MEANWHILE, NOT_FOUND, PAGER_KEYS, placeWords } from '../question/key-words.js';
import { GuardedKeys } from './guard.js';
import type { KeyChoice } from './key-prompt.js';
import type { Prompter } from './prompter.js';

/** Letters that scroll or close the view, so they cannot be used to decide. */
const OWN_KEYS: ReadonlySet<string> = new Set(['b', 'j', 'k', 'q', 'v']);
/** The context of a view. Without `leave`, Ctrl-C closes the view. */
type Viewer = Pick<Prompter, 'terminal' | 'clock' | 'theme'> & Partial<Pick<Prompter, 'leave'>>;

/** Minimum screen height: one row of text and the status row below it. */
const LEAST_ROWS = 2;
const TOP = '\u001b[H\u001b[2J';
// Only our own styles are in rows: everything else was escaped.
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;
/** Maximum width of a search term in the status row, in columns. */
const TERM_COLUMNS = 30;

/** The result of a view: whether every row has been on screen, and the decision made with a key, if any. */
export interface Viewed<Value> {
  readonly seen: boolean;
  readonly decided?: { readonly value: Value };
}

/** A search: the last term entered, and the text being typed for the next one. */
interface Search {
  readonly term: string;
  readonly typed?: string;
  /** Row of the last match; absent if there was no match. */
  readonly at?: number | undefined;
}

class Pager<Value> {
  #search: Search = { term: '' };
  #isAsked = false;
  #first = 0;
  #seen = 0;
  #rows: readonly string[];
  readonly #terminal: HeldTerminal;
  readonly #makeRows: (columns: number) => readonly string[];
  readonly #theme: Prompter['theme'];
  readonly #decisions: readonly KeyChoice<Value>[];

  constructor(
    { terminal, theme }: Viewer,
    makeRows: (columns: number) => readonly string[],
    decisions: readonly KeyChoice<Value>[],
  ) {
    this.#terminal = terminal;
    this.#makeRows = makeRows;
    this.#theme = theme;
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
    const status = [...this.#told, ...this.#keys].reduce((row, more) => {
      const longer = `${row} · ${more}`;
      return columnsOf(longer) < terminal.columns ? longer : row;
    }, place);
    const { typed } = this.#search;
    const line = typed === undefined ? this.#theme.dim(status) : plainLine(`/${typed}`, terminal.columns - 1);
    const rows = shown.map((row) => this.#marked(row));
    terminal.raw(`${TOP}${unbroken([...rows, line].join('\r\n'))}`);
  }

  /** Messages shown before the keys. */
  get #told(): readonly string[] {
    const { term, at } = this.#search;
    const lost = term !== '' && at === undefined ? [`“${plainLine(term, TERM_COLUMNS)}” ${NOT_FOUND}`] : [];
    return [...(this.#isAsked ? [ASKED_MEANWHILE] : []), ...lost];
  }

  get #keys(): readonly string[] {
    const decisions = this.#decisions.map(({ key, label }) => `${key} ${label}`);
    const keys = this.complete ? [PAGER_KEYS.back, ...decisions] : [PAGER_KEYS.next, PAGER_KEYS.back];
    const isFound = this.#search.at !== undefined;
    const found = isFound ? [PAGER_KEYS.found] : [];
    return [...found, ...keys, PAGER_KEYS.move, ...(this.#searches ? [PAGER_KEYS.search] : [])];
  }

  /** Whether the view can be searched. Search is disabled if keys make decisions. */
  get #searches(): boolean {
    return this.#decisions.length === 0;
  }

  /** Highlights the search term in a row. */
  #marked(row: string): string {
    const { term } = this.#search;
    const mark = this.#theme.changed;
    const plain = row.replace(STYLES, '');
    if (mark === undefined || term === '' || !isIn(plain, term)) return row;
    let shown = '';
    let from = 0;
    for (let at = placeIn(plain, term, 0); at >= 0; at = placeIn(plain, term, from)) {
      shown += plain.slice(from, at) + mark(plain.slice(at, at + term.length));
      from = at + term.length;
    }
    return shown + plain.slice(from);
  }

  /** Scrolls to the next or previous row that contains the term, wrapping around at the ends. */
  #find(term: string, by: 1 | -1): void {
    const count = this.#rows.length;
    const last = this.#search.at;
    const isShown = last !== undefined && last >= this.#first && last < this.#first + this.#page;
    const start = isShown ? last + by : this.#first;
    const at = this.#rows
      .map((_, step) => (start + by * step + 2 * count) % count)
      .find((row) => isIn(this.#rows[row]?.replace(STYLES, '') ?? '', term));
    this.#search = { term, at };
    if (at !== undefined) this.#first = at;
  }

  /** Handles a search key; returns false for any other key. */
  #pressSearch({ name, text, ctrl, meta }: Key): boolean {
    const { term, typed } = this.#search;
    if (typed === undefined) {
      if (text === '/') this.#search = { ...this.#search, typed: '' };
      else if (text === 'n' && term !== '') this.#find(term, 1);
      else if (text === 'N' && term !== '') this.#find(term, -1);
      else return false;
    } else if (name === 'escape') this.#search = { term: '' };
    else if (name === 'enter') this.#enter(typed);
    else if (name === 'backspace')
      this.#search = { term: '', typed: Array.from(typed).slice(0, -1).join('') };
    else if (text !== '' && !ctrl && !meta) this.type(text);
    return true;
  }

  #enter(typed: string): void {
    const term = escapeText(typed);
    this.#search = { term: '' };
    if (term !== '') this.#find(term, 1);
  }

  /** Adds text to the search term while it is being typed. */
  type(text: string): void {
    const { typed } = this.#search;
    if (typed !== undefined) this.#search = { ...this.#search, typed: typed + text };
  }

  /** Somebody asks meanwhile. */
  ask(): void {
    this.#isAsked = true;
    this.draw();
  }

  /** Returns the choice for a key, or `undefined` until every row has been on screen. */
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

  /** Handles a key; returns false if the key closes the view. */
  press(key: Key): boolean {
    if (this.#searches && this.#pressSearch(key)) {
      this.draw();
      return true;
    }
    const step = this.#stepOf(key);
    if (step === undefined) return !isClosing(key);
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

function isClosing({ name, text, ctrl }: Key): boolean {
  return ctrl ? name === 'o' : text === '?' || name === 'q' || name === 'escape' || name === 'v';
}

/**
 * Returns the index of a term in a row, searching from `from`. Ignores case unless the term contains
 * uppercase letters.
 */
function placeIn(row: string, term: string, from: number): number {
  const isExact = term !== term.toLowerCase();
  // A row whose small letters are more in number has other places.
  const small = row.toLowerCase();
  return isExact || small.length !== row.length ? row.indexOf(term, from) : small.indexOf(term, from);
}

function isIn(row: string, term: string): boolean {
  return placeIn(row, term, 0) >= 0;
}

/**
 * Shows rows page by page. Resolves with true if all rows have been on screen. If the user jumps to the end,
 * the rows in between are skipped.
 * @throws the reason of the terminal's signal if the question is withdrawn.
 */
export async function viewWhole(
  prompter: Viewer,
  makeRows: (columns: number) => readonly string[],
): Promise<boolean> {
  const { seen } = await viewAndDecide(prompter, makeRows, []);
  return seen;
}

/**
 * Like `viewWhole`, but once every row has been on screen, the keys of `decisions` work as well. They are
 * guarded like the keys at the question itself (G30).
 * @throws the reason of the terminal's signal if the question is withdrawn.
 */
export async function viewAndDecide<Value>(
  prompter: Viewer,
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
    const guarded = new GuardedKeys(terminal, clock, {
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

/** Handles the keys that scroll or close a view. None of them makes a decision. */
function hear<Value>(
  { terminal, leave }: Viewer,
  pager: Pager<Value>,
  { event, close }: { readonly event: TerminalEvent; readonly close: () => void },
): void {
  switch (event.type) {
    case 'key':
      if (event.key.ctrl && event.key.name === 'c') {
        if (leave === undefined) close();
        else leave('Ctrl-C');
      } else if (pager.choiceOf(event.key) === undefined && !pager.press(event.key)) close();
      return;
    case 'resized':
      pager.resize();
      return;
    case 'continued':
      terminal.alternate(true);
      pager.draw();
      return;
    case 'asked':
      pager.ask();
      return;
    case 'paste':
      pager.type(event.text.split(/[\r\n]/, 1)[0] ?? '');
      pager.draw();
      return;
    case 'stopping': // the device leaves the second screen
    case 'typed-on':
      return;
  }
}
