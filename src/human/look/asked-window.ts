import { columnsOf, wrapWords } from '../../core/index.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { TerminalTheme } from '../device/theme.js';
import { shownWhole } from '../device/region.js';
import {
  firstSeeWords,
  NEXT_PAGE,
  notSeenWords,
  placeWords,
  SCROLL_KEYS,
  TOO_SMALL,
} from '../question/key-words.js';
import type { BriefRows } from './terminal-look.js';

// A1 A row counts as seen once it was drawn with all rows above it; what was jumped over was not seen.
// A2 A row that the screen has no room for, below its edge or beside it, was not seen, whatever was drawn.
// A3 What was seen of the same question stays seen: while something else was drawn, and where its rows come back with the
//    width. Rows of another width are other rows, unless all of it was seen.

/** Maximum number of title rows that stay above the window; a longer title scrolls with the rest. */
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

/** Number of layouts remembered per question. */
const MOST_LAYOUTS = 8;
/** Minimum number of rows for a question that is drawn above the response to a key. */
const LEAST_BESIDE = 4;

/** Remembers which rows of a question have been on screen, no matter which component drew them (A3). */
export class SeenRows {
  #drawn: readonly (readonly string[])[] = [];
  #whole: string | undefined;

  /** Counts the leading rows that have already been on screen in exactly this form. */
  count(rows: readonly string[]): number {
    return Math.max(0, ...this.#drawn.map((one) => alikeRows(one, rows)));
  }

  saw(rows: readonly string[]): void {
    const others = this.#drawn.filter((one) => alikeRows(one, rows) < one.length);
    this.#drawn = [...others, rows].slice(-MOST_LAYOUTS);
  }

  /**
   * Marks the whole question as seen, in any layout.
   * @param content the question's content, independent of the layout
   */
  sawWhole(content: string): void {
    this.#whole = content;
  }

  isWhole(content: string): boolean {
    return this.#whole === content;
  }
}

/**
 * Shows a question at the place where it is answered: in full if it fits, otherwise in a scrolling window.
 */
export class AskedWindow {
  readonly #rowsIn: (columns: number) => BriefRows;
  readonly #theme: TerminalTheme;
  readonly #memory: SeenRows;
  #layout: Layout | undefined;
  #first = 0;
  #seen = 0;
  #wasAllSeen = false;
  /** Whether the question fit on the screen when it was last drawn. */
  #fits = false;

  /** @param rowsIn returns the rows for a width */
  constructor(rowsIn: (columns: number) => BriefRows, theme: TerminalTheme, memory = new SeenRows()) {
    this.#rowsIn = rowsIn;
    this.#theme = theme;
    this.#memory = memory;
  }

  /** Number of rows that have not been on screen yet. It is at least 1 before the question is first drawn. */
  get #unseen(): number {
    return this.#wasAllSeen ? 0 : Math.max(1, (this.#layout?.body.length ?? 0) - this.#seen);
  }

  /**
   * The reason that the question cannot be approved yet, if any. The user must first see all of the question
   * on this screen.
   */
  get refusal(): string | undefined {
    if (!this.#fits) return TOO_SMALL;
    return this.#unseen === 0 ? undefined : firstSeeWords(this.#unseen);
  }

  /**
   * Number of unseen rows and total number of rows. `undefined` if all were seen or the screen is too small.
   */
  get unread(): { readonly rows: number; readonly of: number } | undefined {
    const of = this.#layout?.body.length ?? 0;
    return this.#fits && this.#unseen > 0 ? { rows: this.#unseen, of } : undefined;
  }

  /** Whether exactly these rows are on the screen. */
  shows(rows: readonly string[]): boolean {
    const { head = [], body = [], room = 0 } = this.#layout ?? {};
    const drawn = [...head, ...body];
    return this.#fits && drawn.length <= room && alikeRows(drawn, rows) === rows.length;
  }

  /** Marks all rows as seen because another view showed them. */
  markSeen(): void {
    this.#wasAllSeen = true;
    if (this.#layout !== undefined) this.#memory.sawWhole(this.#layout.brief.content);
  }

  /**
   * Returns the rows to draw, followed by the response to a key. If the response leaves no room for the
   * question, omits the question (A2).
   */
  rowsWith(said: Said, { columns, rows }: ScreenSize): readonly string[] {
    const below = said(columns);
    if (below.length === 0 || rows - below.length >= LEAST_BESIDE)
      return [...this.rows(columns, rows - below.length), ...below];
    this.#fits = false;
    return below;
  }

  /**
   * Returns at most `room` rows to draw. If there is no room, returns one row, which is not marked as seen
   * (A2).
   */
  rows(columns: number, room: number): readonly string[] {
    const layout = this.#laidOut(columns, Math.max(1, room));
    const { head, body, rule } = layout;
    const page = this.#page(layout);
    this.#first = Math.max(0, Math.min(this.#first, body.length - page));
    const last = Math.min(body.length, this.#first + page);
    const drawn = body.slice(this.#first, last);
    const all = [...head, ...drawn];
    this.#fits = room >= 1 && shownWhole(all, columns) === all.length; // A2
    if (this.#fits && this.#first <= this.#seen && last > this.#seen) {
      this.#seen = last; // A1
      this.#memory.saw(body.slice(0, last)); // A3
    }
    if (!this.#wasAllSeen && this.#seen >= body.length) this.markSeen();
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

  /** Scrolls the window if the key is a scroll key. Returns whether it scrolled. */
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
    const brief = layout?.columns === columns ? layout.brief : this.#rowsIn(columns);
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
    // A3
    if (layout === undefined || alikeRows(layout.body, made.body) < made.body.length) {
      this.#seen = this.#memory.count(made.body);
      // One goes on reading where one stopped.
      this.#first = layout === undefined && this.#seen < made.body.length ? this.#seen : 0;
    }
    this.#wasAllSeen ||= this.#memory.isWhole(brief.content);
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
        return this.#first > this.#seen ? this.#seen - this.#first : page;
      case 'pageup':
        return -page;
      case 'home':
        return -this.#first;
      case 'end':
        return this.#layout?.body.length ?? 0;
      case NEXT_PAGE.scrolls:
        return this.#seen - this.#first;
      default:
        return undefined;
    }
  }
}

/** Counts the leading rows that are equal in both lists. */
function alikeRows(left: readonly string[], right: readonly string[]): number {
  const other = left.findIndex((row, at) => row !== right[at]);
  return other === -1 ? left.length : other;
}

/** Returns the response to a key, as rows for a width. */
export type Said = (columns: number) => readonly string[];

export const NOTHING_SAID: Said = () => [];

/** Wraps and dims the product's own text for display below a question. */
export function saidRows(lines: readonly string[], theme: TerminalTheme): Said {
  return (columns) => lines.flatMap((line) => wrapWords(line, columns - 1, '   ').map(theme.dim));
}
