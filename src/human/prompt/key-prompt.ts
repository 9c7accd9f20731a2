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
  /** One case-sensitive character, or `Tab`. */
  readonly key: string;
  /** Text shown instead of the key, such as `1–3`. Default: the key. */
  readonly shown?: string;
  readonly label: string;
  /** Label on a low screen. Default: `label`. */
  readonly short?: string;
  readonly value: Value;
  /** Reason that the key is disabled, if it is. */
  readonly disabled?: string;
  /**
   * The key's label and scroll direction while it is disabled. By default, the key shows the reason that it
   * is disabled.
   */
  readonly instead?: { readonly label: string; readonly scrolls: string };
  /**
   * When to leave the key out of the key row so that the row fits. The key still works and is listed in the
   * full help. `first` is left out before `second`, `low` only on a low screen, and `list` always.
   */
  readonly yields?: 'first' | 'second' | 'low' | 'list';
}

export interface KeyQuestion<Value> {
  /** One line of text. Must not contain untrusted text. */
  readonly message: string;
  /** Available keys. If this is a function, it is called for every key press and every redraw. */
  readonly choices: readonly KeyChoice<Value>[] | (() => readonly KeyChoice<Value>[]);
  /** Whether the keys are already explained above the prompt. Default: false. */
  readonly isExplained?: boolean;
  /** Scrolls the question. Returns false if the key is not a scroll key. */
  readonly scroll?: (key: string) => boolean;
}

/** Keys that only scroll and never decide. */
const SCROLLS: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'space']);

const SEPARATOR = ' · ';
/**
 * Minimum number of rows of a normal screen. A screen with fewer rows shows fewer keys, to leave room for the
 * question.
 */
const LOW_ROWS = 20;

/**
 * Lays out the choices in one row. If necessary, leaves out those that may be left out (`yields`). If the
 * choices still do not fit, uses several rows.
 */
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

/** Lays out choices in rows, breaking only between choices. */
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

/** A prompt that is decided by pressing one of its keys. Enter, Esc and other keys do not decide. */
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

/** Asks the user to press one of several keys. */
export async function askKey<Value>(prompter: Prompter, question: KeyQuestion<Value>): Promise<Asked<Value>> {
  return runKeys(prompter, new KeyPrompt(question, prompter.theme));
}
