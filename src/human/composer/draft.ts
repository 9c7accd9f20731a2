// Invariants:
// E1 Every key either changes the line, or is named as an effect; nothing else in it changes what runs.
import { escapeText } from '../../core/index.js';
import type { Key } from '../device/keys.js';
import type { LineState } from '../line-editor/state.js';
import type { LineStep } from '../line-editor/keys.js';
import { lineState, lineText, openedPaste, pasted, withText } from '../line-editor/state.js';
import { messageOf, pressKey } from '../line-editor/keys.js';
import { shownText } from '../line-editor/picture.js';
import { HistorySearch } from './history-search.js';
import type { Offers } from './offers.js';
import { NO_OFFERS } from './offers.js';
import { Palette } from './palette.js';

export interface Entry {
  readonly text: string;
  /** The text as displayed: escaped, with each pasted block abbreviated. */
  readonly shown: string;
}

const HISTORY_LIMIT = 1000;

/** The keys of the prompt and their effects, shown for `?` on an empty line. */
export const KEYS_HELP: readonly string[] = [
  'Enter send (queues while busy) · ↑ edit the last queued message',
  'Esc stop · Esc Esc edit an earlier message, or clear the line · Shift-Tab change the mode',
  'Ctrl-C clear the line or stop; twice to exit · Ctrl-D exit',
  'Alt-Enter, Ctrl-J or \\ Enter new line · ← → or Ctrl-E expand a pasted block',
  '/ commands · @ a file · ! run a shell command · ↑ ↓ and Ctrl-R earlier lines · Ctrl-L redraw · Ctrl-O show full output · Ctrl-T show all steps',
];

/** The line being written, with its search and completion list. */
export class Draft {
  offers: Offers = NO_OFFERS;
  /** Text shown below the line until the next key. */
  note: readonly string[] = [];
  palette: Palette | undefined;
  #line: LineState = lineState();
  #history: readonly string[] = [];
  #search: HistorySearch | undefined;

  get isEmpty(): boolean {
    return this.#line.items.length === 0;
  }

  /** Returns the displayed line. During a search, the search result replaces the text. */
  get line(): LineState {
    return this.#search === undefined ? this.#line : withText(this.#line, this.#search.found ?? '');
  }

  /** Returns the prompt to show during a search. */
  get searchPrompt(): string | undefined {
    return this.#search && `search ${escapeText(this.#search.term)}: `;
  }

  /** Earlier lines, oldest first. */
  set history(history: readonly string[]) {
    this.#history = history.slice(-HISTORY_LIMIT);
    this.#line = { ...this.#line, history: this.#history, place: this.#history.length };
  }

  /** Saves a line in the history; returns false if it is the same as the last one. */
  remember(text: string): boolean {
    if (this.#history.at(-1) === text) return false;
    this.history = [...this.#history, text];
    return true;
  }

  /** Replaces the text of the line. */
  replace(text: string): void {
    this.#line = withText(this.#line, text);
  }

  clear(): void {
    this.#search = undefined;
    this.palette = undefined;
    this.#line = lineState('', this.#history);
  }

  /** Saves the line in the history and clears it. */
  putBy(): void {
    const entry = this.take();
    if (entry !== undefined) this.remember(entry.text);
  }

  /** Returns the line's text and clears the line. */
  take(): Entry | undefined {
    const entry = { text: messageOf(lineText(this.#line)), shown: shownText(this.#line) };
    this.clear();
    return entry.text.trim() === '' ? undefined : entry;
  }

  paste(text: string): void {
    this.note = [];
    this.#line = pasted(this.#line, text);
    this.#lookForOffers();
  }

  press(key: Key): LineStep['effect'] {
    if (this.#search !== undefined) this.#searched(this.#search, key);
    else if (this.palette === undefined || !this.#palettePressed(this.palette, key.name)) {
      if (!this.#wasHelp(key)) return this.#edited(key);
    }
    return 'none';
  }

  #edited(key: Key): LineStep['effect'] {
    const step = pressKey(this.#line, key);
    if (step.effect !== 'ignored') this.note = [];
    this.#line = step.state;
    this.#lookForOffers();
    return step.effect;
  }

  /** Handles the keys for search, help and pasted blocks. Returns false for any other key. */
  #wasHelp(key: Key): boolean {
    if (key.ctrl && key.name === 'r') {
      this.#search = new HistorySearch(this.#history);
      return true;
    }
    if (this.isEmpty && key.text === '?') {
      this.note = this.note === KEYS_HELP ? [] : KEYS_HELP;
      return true;
    }
    const opened = key.ctrl && key.name === 'e' ? openedPaste(this.#line) : undefined;
    if (opened === undefined) return false;
    this.#line = opened;
    return true;
  }

  #searched(search: HistorySearch, key: Key): void {
    const step = search.press(key);
    if (step === 'searching') return;
    if (step === 'taken') this.#line = withText(this.#line, search.found ?? '');
    this.#search = undefined;
  }

  #palettePressed(palette: Palette, name: string): boolean {
    switch (name) {
      case 'up':
      case 'down':
        palette.move(name === 'up' ? -1 : 1);
        return true;
      case 'tab':
        this.#line = withText(this.#line, palette.completed(lineText(this.#line)));
        this.#lookForOffers();
        return true;
      case 'escape':
        this.palette = undefined;
        return true;
      default:
        return false;
    }
  }

  #lookForOffers(): void {
    const { items, cursor } = this.#line;
    const offers = cursor === items.length ? this.offers.complete(lineText(this.#line)) : [];
    this.palette = offers.length === 0 ? undefined : new Palette(offers, this.palette);
  }
}
