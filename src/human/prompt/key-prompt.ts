import type { Key } from '../device/keys.js';
import type { Row } from '../device/region.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { TerminalTheme } from '../device/theme.js';
import { plainRow } from '../device/region.js';
import type { Refused } from '../question/key-words.js';
import { NO_MODE_HERE, pressWords, refusedWords } from '../question/key-words.js';
import type { KeyScreen } from './key-screen.js';
import { runKeys, said } from './key-screen.js';
import type { Asked, Prompter } from './prompter.js';

/** A key and its effect. */
export interface KeyChoice<Value> {
  /** One character, upper and lower case differ; or `Tab`. */
  readonly key: string;
  /** What stands for it in the row of keys: `1–3`. Default: the key. */
  readonly shown?: string;
  readonly label: string;
  /** The label on a low screen. Default: the label. */
  readonly short?: string;
  readonly value: Value;
  /** Why the key is disabled, if it is. */
  readonly disabled?: string;
  /** What the key does while it is disabled: its label, and how it scrolls the question. Default: it says why. */
  readonly instead?: { readonly label: string; readonly scrolls: string };
  /**
   * The key works, and is left out where all others then stand in one row: a list of all keys names it. `first` goes
   * before `second`; `low` goes on a low screen only, and `list` always.
   */
  readonly yields?: 'first' | 'second' | 'low' | 'list';
}

export interface KeyQuestion<Value> {
  /** One line, in our own words. */
  readonly message: string;
  /** Available keys; evaluated for every key and every drawing. */
  readonly choices: readonly KeyChoice<Value>[] | (() => readonly KeyChoice<Value>[]);
  /** The keys stand above already, each with what it does. Default false. */
  readonly isExplained?: boolean;
  /** Scrolls the question; false if the key does not scroll. */
  readonly scroll?: (key: string) => boolean;
}

/** Keys that only scroll and never decide. */
const SCROLLS: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'space']);

const SEPARATOR = ' · ';
/** A screen with fewer rows is low: the question needs them. */
const LOW_ROWS = 20;

/** The choices in one row where those that yield leave it to the others, else those that do not yield in rows that fit. */
function choiceRows<Value>(
  every: readonly KeyChoice<Value>[],
  size: ScreenSize,
  theme: TerminalTheme,
): readonly Row[] {
  const choices = every.filter(({ yields }) => yields !== 'list');
  const fewer = choices.filter(({ yields }) => yields !== 'first');
  const fewest = fewer.filter(({ yields }) => yields !== 'second');
  const least =
    size.rows < LOW_ROWS
      ? [
          fewest
            .filter(({ yields }) => yields !== 'low')
            .map((one) => ({ ...one, label: one.short ?? one.label })),
        ]
      : [];
  const [all = [], ...shorter] = [choices, fewer, fewest, ...least].map((shown) =>
    rowsOf(shown, size, theme),
  );
  return [all, ...shorter].find((rows) => rows.length < 2) ?? shorter.at(-1) ?? all;
}

/** Choices in rows, broken between choices only. */
function rowsOf<Value>(
  choices: readonly KeyChoice<Value>[],
  { columns }: ScreenSize,
  theme: TerminalTheme,
): readonly Row[] {
  const rows: { text: string; columns: number }[] = [];
  for (const choice of choices) {
    const { key: pressed, shown, disabled } = choice;
    const instead = insteadOf(choice);
    const label = instead?.label ?? choice.label;
    const key = shown ?? pressed;
    const { columns: width } = plainRow(`${key} ${label}`);
    const isLive = disabled === undefined || instead !== undefined;
    const text = isLive ? `${theme.key(key)} ${label}` : theme.dim(`${key} ${label}`);
    const last = rows.at(-1);
    if (last !== undefined && last.columns + SEPARATOR.length + width < columns - 1) {
      last.text += theme.dim(SEPARATOR) + text;
      last.columns += SEPARATOR.length + width;
    } else rows.push({ text, columns: width });
  }
  return rows;
}

function insteadOf<Value>({ disabled, instead }: KeyChoice<Value>): KeyChoice<Value>['instead'] {
  return disabled === undefined ? undefined : instead;
}

/** One key decides; Enter, Esc and any other key do not. */
class KeyPrompt<Value> implements KeyScreen<Value> {
  readonly #question: KeyQuestion<Value>;
  readonly #theme: TerminalTheme;
  #note = '';

  constructor(question: KeyQuestion<Value>, theme: TerminalTheme) {
    this.#question = question;
    this.#theme = theme;
  }

  rows(size: ScreenSize): readonly Row[] {
    const { title, dim } = this.#theme;
    const note = this.#note === '' ? [] : said(this.#note, dim, size);
    const message = said(`${this.#question.message} `, title, size);
    const isExplained = this.#question.isExplained === true;
    const keys = isExplained ? [] : choiceRows(this.#choices, size, this.#theme);
    return [...keys, ...note, ...message];
  }

  press(key: Key, done: (value: Value) => void): void {
    if (!this.decides(key) && this.#question.scroll?.(key.name) === true) {
      this.#note = '';
      return;
    }
    const choice = this.#choiceOf(key);
    const instead = choice && insteadOf(choice);
    if (instead !== undefined && this.#question.scroll?.(instead.scrolls) === true) this.#note = '';
    else if (key.name === 'tab' && key.shift) this.#note = NO_MODE_HERE;
    else if (choice === undefined) {
      const named = this.#choices.filter((one) => one.yields !== 'list' && one.key.length === 1);
      this.#note = pressWords(named.map((one) => one.shown ?? one.key));
    } else if (choice.disabled !== undefined) this.#note = choice.disabled;
    else done(choice.value);
  }

  decides({ name }: Key): boolean {
    return this.#question.scroll === undefined || !SCROLLS.has(name);
  }

  knows(key: Key): boolean {
    if (!this.decides(key)) return true;
    const choice = this.#choiceOf(key);
    // What scrolled may approve next: that takes a pause.
    return choice !== undefined && insteadOf(choice) === undefined;
  }

  refused(why: Refused): void {
    this.#note = refusedWords(why);
  }

  #choiceOf(key: Key): KeyChoice<Value> | undefined {
    const name = key.name === 'tab' && !key.shift ? 'Tab' : key.text;
    return key.ctrl || key.meta ? undefined : this.#choices.find((one) => one.key === name);
  }

  get #choices(): readonly KeyChoice<Value>[] {
    const { choices } = this.#question;
    return typeof choices === 'function' ? choices() : choices;
  }
}

/** Asks for one key. */
export async function askKey<Value>(prompter: Prompter, question: KeyQuestion<Value>): Promise<Asked<Value>> {
  return runKeys(prompter, new KeyPrompt(question, prompter.theme));
}
