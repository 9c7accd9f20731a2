import { columnsOf } from '../../core/index.js';
import type { TerminalTheme } from '../device/theme.js';
import { shownWhole } from '../device/region.js';
import type { QuestionView } from '../question/question-text.js';
import { firstSeeWords, notSeenWords, placeWords, SCROLL_KEYS, TOO_SMALL } from '../question/key-words.js';
import type { BriefRows } from './terminal-look.js';
import { briefRows } from './terminal-look.js';

// A1 A row counts as seen once it was drawn with all rows above it; what was jumped over was not seen.
// A2 A row that the screen has no room for, below its edge or beside it, was not seen, whatever was drawn.

/** Rows of a title that always stay above the window; a longer title scrolls with the rest. */
const MOST_TITLE_ROWS = 3;
const LEAST_ROOM = 3;

interface Layout {
  readonly columns: number;
  readonly room: number;
  readonly head: readonly string[];
  readonly body: readonly string[];
  readonly rule: string;
  readonly brief: BriefRows;
}

/** A drawn question: the whole of it if it fits, else a scrolling window. */
export class AskedWindow {
  readonly #view: QuestionView;
  readonly #theme: TerminalTheme;
  #layout: Layout | undefined;
  #first = 0;
  #seen = 0;
  #wasAllSeen = false;
  /** The screen that it was last drawn for has room for it. */
  #fits = false;

  constructor(view: QuestionView, theme: TerminalTheme) {
    this.#view = view;
    this.#theme = theme;
  }

  /** Rows that have not been on screen; at least one before the first drawing. */
  get #unseen(): number {
    return this.#wasAllSeen ? 0 : Math.max(1, (this.#layout?.body.length ?? 0) - this.#seen);
  }

  /** Why nothing can be approved now, if so: the question has to be seen first, on this screen. */
  get refusal(): string | undefined {
    if (!this.#fits) return TOO_SMALL;
    return this.#unseen === 0 ? undefined : firstSeeWords(this.#unseen);
  }

  /** Reports that something else is drawn over it. */
  hide(): void {
    this.#fits = false;
  }

  /** Marks all rows as seen elsewhere. */
  markSeen(): void {
    this.#wasAllSeen = true;
  }

  /** Returns at most `room` rows to draw; without room, one row that does not count as seen (A2). */
  rows(columns: number, room: number): readonly string[] {
    const layout = this.#laidOut(columns, Math.max(1, room));
    const { head, body, rule } = layout;
    const page = this.#page(layout);
    this.#first = Math.max(0, Math.min(this.#first, body.length - page));
    const last = Math.min(body.length, this.#first + page);
    const drawn = body.slice(this.#first, last);
    const all = [...head, ...drawn];
    this.#fits = room >= 1 && shownWhole(all, columns) === all.length; // A2
    if (this.#fits && this.#first <= this.#seen) this.#seen = Math.max(this.#seen, last); // A1
    this.#wasAllSeen ||= this.#seen >= body.length;
    return page >= body.length || all.length >= layout.room ? all : [...all, `${rule}${this.#place(last)}`];
  }

  #place(last: number): string {
    const unseen = this.#unseen;
    const layout = this.#layout;
    const where = placeWords(this.#first + 1, last, layout?.body.length ?? 0);
    const missing = unseen === 0 ? '' : ` · ${notSeenWords(unseen)}`;
    const room = (layout?.columns ?? 0) - 3;
    const words = [missing, ` · ${SCROLL_KEYS}`].reduce(
      (shown, more) => (columnsOf(shown + more) < room ? shown + more : shown),
      where,
    );
    return unseen === 0 ? this.#theme.dim(words) : this.#theme.warning(words);
  }

  /** Whether the key scrolled the window. */
  press(key: string): boolean {
    const layout = this.#layout;
    const step = layout === undefined ? undefined : this.#stepOf(key, this.#page(layout));
    if (step === undefined) return false;
    this.#first += step;
    return true;
  }

  #laidOut(columns: number, room: number): Layout {
    const layout = this.#layout;
    if (layout?.columns === columns && layout.room === room) return layout;
    const brief = layout?.columns === columns ? layout.brief : briefRows(this.#view, columns, this.#theme);
    const { title, rule } = brief;
    const isShort = title.length <= MOST_TITLE_ROWS && title.length + LEAST_ROOM <= room;
    const head = isShort ? title : [];
    const body = brief.body(room - title.length);
    const made = {
      columns,
      room,
      head,
      rule,
      brief,
      body: isShort ? body : [...title, ...body],
    };
    // Rows of another width are other rows.
    if (layout !== undefined && !areSame(layout.body, made.body)) {
      this.#first = 0;
      this.#seen = 0;
    }
    this.#layout = made;
    return made;
  }

  #page({ head, body, room }: Layout): number {
    const all = room - head.length;
    return body.length <= all ? all : Math.max(1, all - 1);
  }

  #stepOf(key: string, page: number): number | undefined {
    switch (key) {
      case 'down':
        return 1;
      case 'up':
        return -1;
      case 'space':
      case 'pagedown':
        return page;
      case 'pageup':
        return -page;
      case 'home':
        return -this.#first;
      case 'end':
        return this.#seen - this.#first;
      default:
        return undefined;
    }
  }
}

function areSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((row, at) => row === right[at]);
}
