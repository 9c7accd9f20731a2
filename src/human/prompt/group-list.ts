import type { Key } from '../device/keys.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { Row } from '../device/region.js';
import { plainRow } from '../device/region.js';
import type { TerminalTheme } from '../device/theme.js';
import { columnsOf, plainLine, wrapShown } from '../../core/index.js';
import type { Refused } from '../question/key-words.js';
import { refusedWords } from '../question/key-words.js';
import type { KeyScreen } from './key-screen.js';
import { runKeys, said } from './key-screen.js';
import type { PickContext } from './pick-one.js';
import { askOnce } from './pick-one.js';

/** A row of a group: one line of escaped text, and its details. */
export interface ListedRow {
  readonly text: string;
  /** Returns the details as rows of escaped text. */
  readonly detail: () => readonly string[];
}

/** Rows shown together under a heading. */
export interface ListedGroup {
  /** Name of the part that the group belongs to, shown before the first group of each part. */
  readonly part: string;
  readonly text: string;
  /** Reason that the rows form one group. */
  readonly note: string;
  readonly rows: readonly ListedRow[];
}

/** The position in a list at which the user left it, so that the user can continue from there. */
export interface ListPlace {
  readonly line: number;
  /** Indexes of the open groups. */
  readonly open: ReadonlySet<number>;
}

/** A row of a list, and the position at which the user left the list. */
interface ListedAt {
  readonly group: number;
  readonly row: number;
  readonly place: ListPlace;
}

/**
 * How the user left the list: they marked everything as seen, or they want to add a rule for a row or tell
 * the model something about it.
 */
export type ListAnswer = { readonly type: 'seen' } | ({ readonly type: 'rule' | 'tell' } & ListedAt);

/** A line of the list; `row` is absent for a group's heading. */
interface Line {
  readonly group: number;
  readonly row?: number;
}

const KEYS = '↑↓ move · Enter open · d details · r rule · t tell · k all seen · q leave';
const DETAIL_KEYS = '↑↓ move · d back · q leave';
/** Keys that have an effect outside the list. */
const DECIDING: ReadonlySet<string> = new Set(['k', 'r', 't']);

/** A list of groups that expand in place. Only `k`, `r` and `t` have an effect outside it. */
class GroupList implements KeyScreen<ListAnswer | undefined> {
  readonly #groups: readonly ListedGroup[];
  readonly #theme: TerminalTheme;
  readonly #open: Set<number>;
  #at: number;
  /** Index of the first visible row of the details. Absent while the list is shown. */
  #detail: number | undefined;
  #page = 1;
  #room = 80;
  #note = '';

  constructor(groups: readonly ListedGroup[], theme: TerminalTheme, { line, open }: ListPlace) {
    this.#groups = groups;
    this.#theme = theme;
    this.#at = line;
    this.#open = new Set(open);
  }

  rows(size: ScreenSize): readonly Row[] {
    const { dim } = this.#theme;
    const keys = said(this.#detail === undefined ? KEYS : DETAIL_KEYS, dim, size);
    const note = this.#note === '' ? [] : said(this.#note, dim, size);
    const foot = [...note, ...keys];
    this.#page = Math.max(1, size.rows - foot.length - 1);
    const room = size.columns - 1;
    this.#room = room;
    if (this.#detail !== undefined) {
      const shown = this.#rowsOfDetail.slice(this.#detail, this.#detail + this.#page);
      return [...shown, ''].map(plainRow).concat(foot);
    }
    const drawn = this.#lines.flatMap((line, at) => this.#drawn(line, at, room));
    const cursor = drawn.findIndex(({ at }) => at === this.#at);
    const start = Math.max(0, Math.min(cursor - Math.floor(this.#page / 2), drawn.length - this.#page));
    const window = drawn.slice(start, start + this.#page).map(({ text }) => plainRow(text));
    return [...window, plainRow(''), ...foot];
  }

  press(key: Key, done: (value: ListAnswer | undefined) => void): void {
    this.#note = '';
    const { name, text } = key;
    const line = this.#line;
    if (text === 'q') done(undefined);
    else if (this.#detail !== undefined) this.#pressDetail(name, text);
    else if (name === 'up') this.#move(-1);
    else if (name === 'down') this.#move(1);
    else if (name === 'pageup') this.#move(-this.#page);
    else if (name === 'pagedown') this.#move(this.#page);
    else if (text === 'k') done({ type: 'seen' });
    else if (line === undefined) return;
    else if (text === 'r') done({ type: 'rule', ...this.#about(line) });
    else if (text === 't') done({ type: 'tell', ...this.#about(line) });
    else if (text === 'd' || (name === 'enter' && line.row !== undefined)) this.#detail = 0;
    else if (name === 'enter') this.#toggle(line.group);
    else this.#note = KEYS;
  }

  decides({ text }: Key): boolean {
    return DECIDING.has(text);
  }

  refused(why: Refused): void {
    this.#note = refusedWords(why);
  }

  #pressDetail(name: string, text: string): void {
    const last = Math.max(0, this.#rowsOfDetail.length - this.#page);
    const steps: Readonly<Partial<Record<string, number>>> = {
      ...{ up: -1, down: 1, pageup: -this.#page, pagedown: this.#page, space: this.#page },
    };
    const step = steps[name];
    if (step !== undefined) this.#detail = Math.max(0, Math.min(last, (this.#detail ?? 0) + step));
    else if (text === 'd' || name === 'enter') this.#detail = undefined;
  }

  get #lines(): readonly Line[] {
    return this.#groups.flatMap(({ rows }, group): readonly Line[] => [
      { group },
      ...(this.#open.has(group) ? rows.map((_, row) => ({ group, row })) : []),
    ]);
  }

  get #line(): Line | undefined {
    return this.#lines[this.#at];
  }

  /** Full details of the selected row, or of all rows in the group if its heading is selected. */
  get #rowsOfDetail(): readonly string[] {
    const { group = -1, row } = this.#line ?? {};
    const rows = this.#groups[group]?.rows ?? [];
    const chosen = row === undefined ? rows : rows.slice(row, row + 1);
    return chosen.flatMap(({ detail }) => detail().flatMap((text) => wrapShown(text, this.#room)));
  }

  #drawn(
    { group: index, row }: Line,
    at: number,
    room: number,
  ): readonly { readonly at: number | undefined; readonly text: string }[] {
    const { dim, key, title } = this.#theme;
    const group = this.#groups[index];
    if (group === undefined) return [];
    const mark = at === this.#at ? key('❯') : ' ';
    if (row !== undefined)
      return [{ at, text: `${mark}     ${plainLine(group.rows[row]?.text ?? '', room - 6)}` }];
    const text = plainLine(group.text, room - 4);
    const left = room - 6 - columnsOf(text);
    const note = left < LEAST_NOTE ? '' : `  ${dim(plainLine(group.note, left))}`;
    const part = this.#groups[index - 1]?.part === group.part ? [] : [group.part];
    return [
      ...part.map((words) => ({ at: undefined, text: title(plainLine(words, room)) })),
      { at, text: `${mark} ${this.#open.has(index) ? '▾' : '▸'} ${text}${note}` },
    ];
  }

  #about({ group, row = 0 }: Line): ListedAt {
    return { group, row, place: { line: this.#at, open: this.#open } };
  }

  #move(by: number): void {
    this.#at = Math.max(0, Math.min(this.#lines.length - 1, this.#at + by));
  }

  #toggle(group: number): void {
    if (!this.#open.delete(group)) this.#open.add(group);
  }
}

/** Minimum width at which a note is shown, in columns. */
const LEAST_NOTE = 8;

/** Lets the user browse groups. Returns `undefined` if they leave without choosing an action. */
export async function lookThrough(
  context: PickContext,
  groups: readonly ListedGroup[],
  signal: AbortSignal,
  place: ListPlace = { line: 0, open: new Set() },
): Promise<ListAnswer | undefined> {
  const asked = await askOnce(
    context,
    (prompter) => runKeys(prompter, new GroupList(groups, prompter.theme, place)),
    signal,
  );
  return asked.type === 'back' ? undefined : asked.value;
}
