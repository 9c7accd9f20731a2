import type { Clock } from '../../core/index.js';
import { columnsOf, escapeText } from '../../core/index.js';
import { pictureOf } from './picture.js';
import type { LineStep } from './keys.js';
import { messageOf, pressKey } from './keys.js';
import type { LineState } from './state.js';
import { lineState, lineText, pasted, withText } from './state.js';
import { Arming, TOGETHER_MS } from '../device/arming.js';
import { refusedWords } from '../question/key-words.js';
import type { HeldTerminal, TerminalEvent } from '../device/ports.js';
import type { Layer, ScreenSize, ShownLayer } from '../device/live-screen.js';
import type { Picture } from '../device/region.js';
import type { TerminalTheme } from '../device/theme.js';

export interface LineOptions {
  /** Prompt shown before the text. Must not contain any untrusted text. */
  readonly prompt: string;
  /** Drawn before every row, so that the row's text cannot overwrite it. Default: nothing. */
  readonly frame?: string;
  /** Initial text, or the state of a withdrawn editor. */
  readonly initial?: string | LineState;
  readonly history?: readonly string[];
  /** Returns the complete lines that Tab can extend the current text to. */
  readonly complete?: (text: string) => readonly string[];
  /** Shown under the line until it is sent. */
  readonly hint?: string;
  /** Rows that show the following fields, between the text and the hint. */
  readonly after?: readonly string[];
  /** Whether ↑ in the first row and Shift-Tab leave the line upwards. Default: false. */
  readonly goesUp?: boolean;
  /** Whether Tab leaves the line if it has nothing to complete or list. Default: false. */
  readonly goesOn?: boolean;
  /**
   * Whether Enter always sends the text exactly as typed, without treating it as a message. Default: false.
   */
  readonly asIs?: boolean;
  /**
   * Called with the text if the line closes without being sent: after Esc, Ctrl-C or Ctrl-D, or because the
   * signal aborted.
   */
  readonly left?: (text: string) => void;
  /** Whether to mask the input with dots and disable the history. Default: false. */
  readonly secret?: boolean;
  /** Returns the reason that a text cannot be sent, or `undefined` if it can. */
  readonly check?: (text: string) => string | undefined;
  /** Which keys to ignore if they are pressed too early: `all` keys, or only `enter`. Default: `none`. */
  readonly guard?: 'all' | 'enter' | 'none';
  /** Returns the full picture: the editor with the rows above it. Default: only the editor. */
  readonly place?: (size: ScreenSize, editor: Picture) => Picture;
}

export type LineResult =
  | { readonly type: 'submitted'; readonly text: string }
  /** Ctrl-C. */
  | { readonly type: 'interrupted' }
  /** Ctrl-D on an empty line. */
  | { readonly type: 'ended' }
  | { readonly type: 'escaped' }
  /** ↑ in the first row, if `goesUp` is set. */
  | { readonly type: 'went-up'; readonly text: string }
  /** Tab, if `goesOn` is set. */
  | { readonly type: 'went-on'; readonly text: string }
  /** The signal aborted; pass the draft to the next editor. */
  | { readonly type: 'withdrawn'; readonly draft: LineState };

export interface LineContext {
  readonly clock: Clock;
  readonly theme: TerminalTheme;
}

const HASTY_ENTER = 'Not sent: Enter arrived with other keys. Press Enter again.';
const EARLY_ENTER = 'Not sent: Enter came too soon. Press Enter again.';
const EARLY_TEXT = 'Ignored: too soon after the question appeared. Type it again.';

class LineEditor implements Layer {
  #state: LineState;
  #note: { text: string; isError: boolean } | undefined;
  #over = false;
  #pressedAt = Number.NEGATIVE_INFINITY;
  readonly #arming: Arming;
  readonly #shown: ShownLayer;
  readonly #options: LineOptions;
  readonly #context: LineContext;
  readonly #finish: (result: LineResult) => void;

  constructor(
    terminal: HeldTerminal,
    options: LineOptions,
    context: LineContext,
    finish: (result: LineResult) => void,
  ) {
    this.#options = options;
    this.#context = context;
    this.#finish = finish;
    this.#arming = new Arming(context.clock.now());
    const { initial = '', history = [] } = options;
    this.#state = typeof initial === 'string' ? lineState(initial, history) : { ...initial, history };
    this.#shown = terminal.show(this);
  }

  hear(event: TerminalEvent): void {
    if (this.#over) return;
    switch (event.type) {
      case 'key':
        this.#press(event);
        break;
      case 'paste':
        this.#arming.disturb(event.at);
        this.#note = undefined;
        this.#state = pasted(this.#state, event.text);
        break;
      case 'typed-on':
        this.#arming.disturb(event.at);
        this.#note = { text: refusedWords(event.isKept ? 'typed' : 'rest'), isError: false };
        break;
      case 'continued':
        this.#arming.restart(this.#context.clock.now());
        break;
      case 'stopping':
      case 'resized':
      case 'asked':
        return;
    }
    this.#shown.changed();
  }

  withdraw(): void {
    if (this.#over) return;
    this.#end({ type: 'withdrawn', draft: this.#state });
  }

  #press(event: TerminalEvent & { type: 'key' }): void {
    const { key } = event;
    const isInterrupt = key.ctrl && key.name === 'c';
    if (!isInterrupt && !this.#mayPress(event)) return;
    const isUp = key.name === 'up' && !lineText(this.#state).includes('\n');
    if (this.#options.goesUp === true && (isUp || (key.name === 'tab' && key.shift))) {
      this.#end({ type: 'went-up', text: this.#text });
      return;
    }
    const isOn = this.#options.goesOn === true && key.name === 'tab' && !key.shift;
    if (isOn && !this.#offersMore) {
      this.#end({ type: 'went-on', text: this.#text });
      return;
    }
    const isSent = key.name === 'enter' && !key.meta && !key.shift && !key.ctrl;
    if (this.#options.asIs === true && isSent) {
      this.#note = undefined;
      this.#submit();
      return;
    }
    const step = pressKey(this.#state, key);
    if (step.effect !== 'ignored') this.#note = undefined;
    this.#state = step.state;
    this.#act(step.effect);
  }

  #mayPress(event: TerminalEvent & { type: 'key' }): boolean {
    const { guard = 'none' } = this.#options;
    const isAlone = event.alone && event.at - this.#pressedAt >= TOGETHER_MS;
    this.#pressedAt = event.at;
    if (guard === 'none') return true;
    const isEnter = event.key.name === 'enter';
    if (guard === 'enter' && !isEnter) return true;
    if (isEnter && !isAlone) {
      this.#arming.disturb(event.at);
      this.#note = { text: HASTY_ENTER, isError: false };
      return false;
    }
    const accepted = this.#arming.accepts(event.at);
    if (!accepted) this.#note = { text: isEnter ? EARLY_ENTER : EARLY_TEXT, isError: false };
    return accepted;
  }

  #act(effect: LineStep['effect']): void {
    switch (effect) {
      case 'submit':
        this.#submit();
        return;
      case 'interrupt':
        this.#end({ type: 'interrupted' });
        return;
      case 'end':
        this.#end({ type: 'ended' });
        return;
      case 'escape':
        this.#end({ type: 'escaped' });
        return;
      case 'complete':
        this.#complete();
        return;
      case 'clear-screen':
      case 'none':
      case 'ignored':
        return;
    }
  }

  get #text(): string {
    const text = lineText(this.#state);
    return this.#options.asIs === true ? text : messageOf(text);
  }

  #submit(): void {
    const text = this.#text;
    const wrong = this.#options.check?.(text);
    if (wrong !== undefined) {
      this.#note = { text: wrong, isError: true };
      return;
    }
    this.#end({ type: 'submitted', text });
  }

  /** Whether Tab can extend the text or list completions. */
  get #offersMore(): boolean {
    const candidates = this.#candidates;
    const isLonger = commonOf(candidates).length > lineText(this.#state).length;
    return isLonger || (candidates.length > 1 && this.#note === undefined);
  }

  get #candidates(): readonly string[] {
    return this.#options.complete?.(lineText(this.#state)) ?? [];
  }

  #complete(): void {
    const text = lineText(this.#state);
    const candidates = this.#candidates;
    const [, ...others] = candidates;
    const common = commonOf(candidates);
    if (common.length > text.length) this.#state = withText(this.#state, common);
    else if (others.length > 0) this.#note = { text: candidates.map(escapeText).join('  '), isError: false };
  }

  #end(result: LineResult): void {
    this.#over = true;
    const isLeft = result.type !== 'submitted' && result.type !== 'went-up' && result.type !== 'went-on';
    if (isLeft) this.#options.left?.(lineText(this.#state));
    this.#shown.close();
    this.#finish(result);
  }

  picture(size: ScreenSize): Picture {
    const { theme } = this.#context;
    const { prompt, hint, secret = false, after = [], frame = '', place } = this.#options;
    const hints = this.#note === undefined && hint !== undefined ? [hint] : [];
    const below = [
      ...(this.#note === undefined
        ? []
        : [{ text: this.#note.text, paint: this.#note.isError ? theme.error : theme.dim }]),
      ...[...after, ...hints].map((text) => ({ text, paint: theme.dim })),
    ];
    const look = { prompt, paint: theme.key, secret, below };
    const inside = { ...size, columns: size.columns - columnsOf(frame) };
    const picture = framed(pictureOf(this.#state, look, inside), theme.dim(frame), columnsOf(frame));
    return place?.(size, picture) ?? picture;
  }
}

/** Returns the common prefix of all texts. */
function commonOf([first = '', ...others]: readonly string[]): string {
  let common = first;
  for (const other of others) while (!other.startsWith(common)) common = common.slice(0, -1);
  return common;
}

function framed({ rows, cursor }: Picture, frame: string, width: number): Picture {
  if (width === 0) return { rows, cursor };
  return {
    rows: rows.map(({ text, columns }) => ({ text: `${frame}${text}`, columns: columns + width })),
    cursor: { row: cursor.row, column: cursor.column + width },
  };
}

/**
 * Lets the user edit one or more lines, until the user sends or leaves them or the terminal's signal aborts.
 */
export async function editLine(
  terminal: HeldTerminal,
  options: LineOptions,
  context: LineContext,
): Promise<LineResult> {
  const { signal } = terminal;
  return new Promise((resolve) => {
    const editor = new LineEditor(terminal, options, context, (result) => {
      stopListening();
      signal.removeEventListener('abort', withdraw);
      resolve(result);
    });
    const withdraw = () => {
      editor.withdraw();
    };
    const stopListening = terminal.listen((event) => {
      editor.hear(event);
    });
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
  });
}
