import { columnsOf, wrapWords } from '../../core/index.js';
import type { Key } from '../device/keys.js';
import type { Row } from '../device/region.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { TerminalTheme } from '../device/theme.js';
import { plainRow } from '../device/region.js';
import type { Refused } from '../question/key-words.js';
import { refusedWords } from '../question/key-words.js';
import type { KeyScreen } from './key-screen.js';
import { runKeys, said } from './key-screen.js';
import type { Asked, Prompter } from './prompter.js';

/** One choice, safe for a terminal. */
interface ChoiceRow {
  readonly label: string;
  /**
   * The recorded answer, if it differs from the label. It is never folded, and must be on screen before the
   * user can choose it.
   */
  readonly answers?: string;
  readonly description?: string;
}

export interface ChoiceQuestion {
  readonly message: string;
  readonly rows: readonly ChoiceRow[];
  /** Whether several rows can be chosen by marking them with Space. */
  readonly multiple: boolean;
  /** Help text for Esc, without untrusted text. Absent if Esc is not available. */
  readonly escape?: string;
}

const NONE = -1;
/**
 * Maximum number of rows for which a single digit chooses or marks a row. With more rows, a digit may be the
 * first of two, so it only moves the cursor.
 */
const ONE_DIGIT = 9;
/** Minimum number of rows for the choices. */
const LEAST_ROWS = 2;
/** Number of rows for the counts of hidden choices above and below. */
const COUNT_ROWS = 2;
const LABEL_ROWS = 5;
const MARK_WORDS = 'number or Space selects · Enter sends';
const UNSEEN = 'The answer for this choice was not on the screen. Read it, then choose.';

/**
 * Returns the number formed by consecutive digits if a row with that number exists, otherwise the last digit.
 */
function numberTyped(before: string, digit: string, count: number): string {
  const both = before + digit;
  return Number(both) >= 1 && Number(both) <= count ? both : digit;
}

function chooseWords(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const keys =
    count > ONE_DIGIT
      ? `a number from 1 to ${count}`
      : count < 2
        ? '1'
        : `${numbers.slice(0, -1).join(', ')} or ${count}`;
  return `${count > ONE_DIGIT ? 'Type' : 'Press'} ${keys}, or use ↑↓ and Enter`;
}

const isDigit = ({ text, ctrl, meta }: Key): boolean => !ctrl && !meta && /^\d$/.test(text);

/** Replaces the middle of a long label with a character count, so that the other labels stay visible. */
function folded(rows: readonly string[]): readonly string[] {
  if (rows.length <= LABEL_ROWS) return rows;
  const hidden = rows.slice(LABEL_ROWS - 2, -1);
  const characters = hidden.reduce((sum, row) => sum + row.length, 0);
  return [
    ...rows.slice(0, LABEL_ROWS - 2),
    `⋯ ${characters} characters hidden: Esc, then v ⋯`,
    ...rows.slice(-1),
  ];
}

/**
 * Lets the user choose by number or with the arrow keys. Nothing is selected at first, so Enter has no effect
 * until something is selected. A digit that makes the choice is guarded like Enter.
 */
class ChoicePrompt implements KeyScreen<readonly number[]> {
  readonly #question: ChoiceQuestion;
  readonly #theme: TerminalTheme;
  readonly #taken = new Set<number>();
  #active = NONE;
  #digits = '';
  #note = '';
  /** Rows that are on screen together with their complete answers. */
  #shown: ReadonlySet<number> = new Set();
  /** Whether a digit has just marked a row, so that a following Space does not unmark it. */
  #isFresh = false;

  constructor(question: ChoiceQuestion, theme: TerminalTheme) {
    this.#question = question;
    this.#theme = theme;
  }

  decides(key: Key): boolean {
    return key.name === 'enter' || (this.#chooses && isDigit(key));
  }

  knows(key: Key): boolean {
    return isDigit(key) || ['up', 'down', 'space', 'enter'].includes(key.name);
  }

  refused(why: Refused): void {
    this.#note = refusedWords(why);
  }

  press(key: Key, done: (value: readonly number[]) => void): void {
    const { rows, multiple } = this.#question;
    const last = rows.length - 1;
    this.#note = '';
    if (isDigit(key)) {
      this.#type(key.text, done);
      return;
    }
    this.#digits = '';
    if (key.name === 'up') this.#active = this.#active <= 0 ? last : this.#active - 1;
    else if (key.name === 'down') this.#active = this.#active === last ? 0 : this.#active + 1;
    else if (key.name === 'space' && multiple && !this.#isFresh) this.#mark();
    else if (key.name === 'enter') this.#send(done);
    else if (!this.knows(key)) this.#note = multiple ? MARK_WORDS : chooseWords(rows.length);
    this.#isFresh = false;
  }

  rows(size: ScreenSize, most: number): readonly Row[] {
    const { message, multiple, escape } = this.#question;
    const escapes = escape === undefined ? '' : ` · Esc ${escape}`;
    const keys = `${multiple ? this.#marking : this.#choosing}${escapes}`;
    const below = [
      ...said(this.#note === '' ? keys : this.#note, this.#theme.dim, size),
      ...said(`${message} ${this.#digits}`, this.#theme.title, size),
    ];
    return [...this.#page(size.columns, most - below.length).map(plainRow), ...below];
  }

  #type(digit: string, done: (value: readonly number[]) => void): void {
    const { length } = this.#question.rows;
    this.#digits = numberTyped(this.#digits, digit, length);
    const number = Number(this.#digits);
    if (number < 1 || number > length) {
      this.#note = chooseWords(length);
      return;
    }
    this.#active = number - 1;
    if (!this.#isSeen(this.#active)) {
      this.#note = UNSEEN;
      return;
    }
    if (this.#chooses) {
      done([this.#active]);
      return;
    }
    if (!this.#question.multiple || length > ONE_DIGIT) return;
    this.#mark();
    this.#isFresh = this.#taken.has(this.#active);
  }

  /** Whether pressing a single digit completes the answer. */
  get #chooses(): boolean {
    const { rows, multiple } = this.#question;
    return !multiple && rows.length <= ONE_DIGIT;
  }

  get #choosing(): string {
    return this.#chooses ? 'number, or ↑↓ and Enter' : 'number or ↑↓, then Enter';
  }

  get #marking(): string {
    const { rows } = this.#question;
    return rows.length <= ONE_DIGIT
      ? 'number or Space selects, ↑↓ · Enter sends'
      : 'number or ↑↓, Space selects, Enter sends';
  }

  /**
   * Whether the user has seen a choice. False if the choice's answer differs from its label and is not on
   * screen yet.
   */
  #isSeen(index: number): boolean {
    return this.#question.rows[index]?.answers === undefined || this.#shown.has(index);
  }

  #mark(): void {
    if (this.#active === NONE) return;
    if (!this.#isSeen(this.#active)) {
      this.#note = UNSEEN;
      return;
    }
    if (!this.#taken.delete(this.#active)) this.#taken.add(this.#active);
  }

  #send(done: (value: readonly number[]) => void): void {
    const { multiple } = this.#question;
    if (multiple && this.#taken.size > 0) done([...this.#taken].sort((left, right) => left - right));
    else if (!multiple && this.#active !== NONE && !this.#isSeen(this.#active)) this.#note = UNSEEN;
    else if (!multiple && this.#active !== NONE) done([this.#active]);
    else
      this.#note = multiple ? `Select at least one · ${MARK_WORDS}` : chooseWords(this.#question.rows.length);
  }

  /** Returns the rows around the active row, with counts of the hidden choices above and below. */
  #page(columns: number, most: number): readonly string[] {
    const texts = this.#question.rows.map((_, index) => this.#rowTexts(index, columns));
    const all = texts.reduce((sum, { length }) => sum + length, 0);
    const room = Math.max(LEAST_ROWS, all <= most ? all : most - COUNT_ROWS);
    let first = Math.max(0, this.#active);
    let last = first;
    let used = texts[first]?.length ?? 0;
    const grow = (index: number): boolean => {
      const more = texts[index]?.length;
      if (more === undefined || used + more > room) return false;
      used += more;
      return true;
    };
    for (let grows = true; grows;) {
      grows = false;
      if (grow(last + 1)) [last, grows] = [last + 1, true];
      if (grow(first - 1)) [first, grows] = [first - 1, true];
    }
    const shown = texts.map((_, index) => index).slice(first, last + 1);
    this.#shown = new Set(used <= most ? shown : []);
    const after = texts.length - 1 - last;
    const { dim } = this.#theme;
    return [
      ...(first > 0 ? [dim(`  ↑ ${first} more`)] : []),
      ...texts.slice(first, last + 1).flat(),
      ...(after > 0 ? [dim(`  ↓ ${after} more`)] : []),
    ];
  }

  #rowTexts(index: number, columns: number): readonly string[] {
    const { rows, multiple } = this.#question;
    const row = rows[index];
    const isActive = index === this.#active;
    const box = multiple ? (this.#taken.has(index) ? '[x] ' : '[ ] ') : '';
    const description = row?.description === undefined ? '' : ` – ${row.description}`;
    const start = `${isActive ? '❯' : ' '} ${box}${index + 1}. `;
    const indent = columnsOf(start);
    const room = Math.max(8, columns - 2) - indent;
    const answers = row?.answers === undefined ? [] : wrapWords(`→ ${row.answers}`, room);
    const texts = [...folded(wrapWords(`${row?.label ?? ''}${description}`, room)), ...answers];
    return texts.map((text, place) =>
      place === 0 ? `${isActive ? this.#theme.key(start) : start}${text}` : `${' '.repeat(indent)}${text}`,
    );
  }
}

/** Asks the user to choose one or more rows. Resolves with the indexes of these rows. */
export async function askChoice(
  prompter: Prompter,
  question: ChoiceQuestion,
): Promise<Asked<readonly number[]>> {
  return runKeys(prompter, new ChoicePrompt(question, prompter.theme));
}
