// Invariants:
// C1 From the first prompt to the end the keys go into this line or to the question that is open, and nowhere else.
// C2 A line that is entered while something runs waits in the queue, one entry a line; each becomes one turn, in order,
//    or goes back into the line. Nothing that was typed is lost.
// C3 A turn is written into the transcript when it is taken, once.
// C4 While a question is put aside nothing reaches the model: what is entered waits behind its answer, but for a command
//    that changes nothing of the session.
import type { RunState, Turn, TurnSource, Clock } from '../../core/index.js';
import { untilResolved, wrapWords } from '../../core/index.js';
import type { Layer, ScreenSize, ShownLayer } from '../device/live-screen.js';
import type { Picture } from '../device/region.js';
import type { TerminalEvent } from '../device/ports.js';
import type { LineStep } from '../line-editor/keys.js';
import type { AsideMove } from '../terminal/terminal.js';
import type { StatusPart } from './composer-picture.js';
import { composerPicture } from './composer-picture.js';
import type { Entry } from './draft.js';
import { Draft } from './draft.js';
import type { Offers } from './offers.js';
import { NO_OFFERS } from './offers.js';
import type { TerminalDevice } from '../device/device.js';
import type { TerminalTheme } from '../device/theme.js';
import type { LineHistory } from '../line-editor/history.js';

const AGAIN = 'Press Ctrl-C again to exit';
const ESCAPE_CLEARS = 'Esc again to clear the line (↑ restores it)';
const REST = 'Ignored: the rest of what you were typing at the question. Pause, then type.';
const BACK_IN_LINE = 'Not sent: your queued messages are back in the line.';
const ANSWER_FIRST = 'Answer the waiting question first';
const ESCAPE_GOES_BACK = 'Esc again to edit an earlier message';

/** Postponed questions. */
interface Aside {
  readonly count: number;
  /** Text that identifies the questions; may be empty. */
  readonly waiting: string;
  readonly resolve: (move: AsideMove) => void;
}

/** Commands that return to postponed questions. */
const ASIDE_MOVES: ReadonlyMap<string, AsideMove> = new Map([
  ['/answer', 'answer'],
  ['/cancel', 'cancel'],
  ['/quit', 'leave'],
]);

/** Formats the number of waiting questions and the available keys. */
function asideWords(count: number): string {
  const [what, them] = count === 1 ? ['1 question', 'it'] : [`${count} questions`, 'them'];
  return `${what} waiting · Tab answers ${them} · messages are sent afterwards · /cancel`;
}

/** Dependencies and callbacks of the input line. */
interface ComposerOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  readonly history?: LineHistory;
  /** Default `> `. */
  readonly prompt?: string;
  /** Called for Esc while something is running. */
  readonly onStop?: () => void;
  /** Whether Esc or Ctrl-C stops the run. If they do not, queued messages stay queued. Default: true. */
  readonly stopsRun?: () => boolean;
  /** Called for Ctrl-C while something is running. */
  readonly onInterrupt?: () => void;
  /** Returns the parts of the row below the input line, from left to right. */
  readonly status?: () => readonly StatusPart[];
  /** Returns the rows above the input line, in full or in short form. */
  readonly above?: (isOpen: boolean, columns: number) => readonly string[];
}

const LEAST_ROOM = 8;

/** Formats an entered line for the transcript, with its prompt and wrapped at word boundaries. */
function enteredRows(
  shown: string,
  {
    prompt,
    columns,
    theme,
  }: { readonly prompt: string; readonly columns: number; readonly theme: TerminalTheme },
): string {
  const room = Math.max(LEAST_ROOM, columns - 1 - prompt.length);
  const rows = shown.split('\n').flatMap((line) => wrapWords(line, room));
  const indent = ' '.repeat(prompt.length);
  return rows.map((row, index) => `${index === 0 ? theme.key(prompt) : indent}${row}\n`).join('');
}

/**
 * Notes that announce what happens if the same key is pressed again. The second press has this effect only
 * while the note is shown.
 */
const PROMISES: readonly string[] = [AGAIN, ESCAPE_CLEARS, ESCAPE_GOES_BACK];

/** The user's input line, shown at the bottom of the screen from the first prompt until the program exits. */
export class Composer implements TurnSource, Layer {
  readonly #options: ComposerOptions;
  readonly #shown: ShownLayer;
  readonly #draft = new Draft();
  readonly #queue: Entry[] = [];
  #knowsHistory = false;
  #isAboveOpen = false;
  #waiting: { readonly resolve: (turn: Turn) => void } | undefined;
  #turnMode: (() => Promise<string>) | undefined;
  /** Number of times Shift-Tab was pressed before the program was loaded. */
  #early = 0;
  #beside: (line: string) => boolean = () => false;
  #aside: Aside | undefined;
  #isClosed = false;
  #deliver: ((text: string) => void) | undefined;

  constructor(options: ComposerOptions) {
    this.#options = options;
    const { device } = options;
    this.#shown = device.screen.show(this);
    device.attach((event) => {
      this.#hear(event);
    });
    device.hungUp.addEventListener('abort', () => {
      this.#waiting?.resolve({ type: 'end', why: 'the terminal is gone' });
    });
  }

  /** Lines that wait. */
  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Ends the conversation. From now on, the input line appears only if something is typed, or while a
   * question is postponed.
   * @param deliver receives entered text; if absent, the text stays in `unsent`.
   */
  closeLine(deliver?: (text: string) => void): void {
    this.#isClosed = true;
    this.#deliver = deliver;
    this.#draft.offers = NO_OFFERS;
    this.#shown.changed();
  }

  /** Typed messages that were never delivered, oldest first. */
  get unsent(): readonly string[] {
    const draft = this.#draft.take();
    return [...this.#queue, ...(draft === undefined ? [] : [draft])].map(({ text }) => text);
  }

  /** Sets the completions to offer, and the line that Esc Esc sends. */
  offer(offers: Offers): void {
    this.#draft.offers = offers;
  }

  /** Makes Shift-Tab switch to the next mode. `turn` returns the text to show below the line. */
  turnModeWith(turn: () => Promise<string>): void {
    this.#turnMode = turn;
    for (; this.#early > 0; this.#early -= 1) this.#nextMode();
  }

  /**
   * Sets a function that receives each line entered while a question is postponed, and returns whether it
   * handled the line.
   */
  besideWith(take: (line: string) => boolean): void {
    this.#beside = take;
  }

  /** Reports that the status row has changed. */
  changed(): void {
    this.#shown.changed();
  }

  async next(_state: RunState, signal: AbortSignal): Promise<Turn> {
    if (!this.#knowsHistory) this.#draft.history = (await this.#options.history?.load(signal)) ?? [];
    this.#knowsHistory = true;
    signal.throwIfAborted();
    if (this.#options.device.hungUp.aborted) return { type: 'end', why: 'the terminal is gone' };
    const first = this.#queue.shift();
    if (first !== undefined) return this.#taken(first);
    const turn = untilResolved<Turn>(
      signal,
      (resolve) => {
        this.#waiting = { resolve };
      },
      () => {
        this.#waiting = undefined;
        this.#shown.changed();
      },
    );
    this.#shown.changed();
    return turn;
  }

  /** Shows the input line while questions are still open, until the user goes back to them (C4). */
  async putAside(count: number, signal: AbortSignal, waiting = ''): Promise<AsideMove> {
    signal.throwIfAborted();
    const move = untilResolved<AsideMove>(
      signal,
      (resolve) => {
        this.#aside = { count, waiting, resolve };
      },
      () => {
        this.#aside = undefined;
        if (this.#noted === ANSWER_FIRST) this.#draft.note = [];
        this.#handOver();
        this.#shown.changed();
      },
    );
    this.#shown.changed();
    return move;
  }

  /** Puts text into the input line for editing. */
  write(text: string): void {
    this.#draft.replace(text);
    this.#shown.changed();
  }

  /** Shows a note that Ctrl-C postponed a question and that pressing it again exits. */
  noteInterrupt(): void {
    this.#draft.note = [AGAIN];
  }

  /** The first line of the note below the input line. */
  get #noted(): string | undefined {
    return this.#draft.note[0];
  }

  picture(size: ScreenSize): Picture {
    const { theme, prompt = '> ', status, above } = this.#options;
    if (this.#isHidden) return { rows: [], cursor: { row: 0, column: 0 } };
    return composerPicture(
      {
        line: this.#draft.line,
        prompt: this.#draft.searchPrompt ?? prompt,
        above: above?.(this.#isAboveOpen, size.columns - 1) ?? [],
        queue: this.#queue,
        hints: this.#hints(),
        palette: this.#draft.palette,
        status: status?.() ?? [],
      },
      size,
      theme,
    );
  }

  get #isHidden(): boolean {
    const isEmpty = this.#draft.isEmpty && this.#queue.length === 0 && this.#draft.note.length === 0;
    return this.#isClosed && this.#aside === undefined && isEmpty;
  }

  #hints(): readonly string[] {
    if (this.#draft.searchPrompt !== undefined) return ['Ctrl-R older · Enter use it · Esc back'];
    const { note } = this.#draft;
    if (this.#aside === undefined) return note;
    const { count, waiting } = this.#aside;
    return [...(waiting === '' ? [] : [waiting]), ...(note.length > 0 ? note : [asideWords(count)])];
  }

  #hear(event: TerminalEvent): void {
    switch (event.type) {
      case 'key':
        this.#press(event);
        break;
      case 'paste':
        this.#draft.paste(event.text);
        break;
      case 'stopping':
      case 'continued':
      case 'resized':
      case 'asked':
        return;
      case 'typed-on':
        this.#draft.note = [REST];
        break;
    }
    this.#shown.changed();
  }

  #press({ key }: TerminalEvent & { type: 'key' }): void {
    if (key.ctrl && key.name === 'c') {
      this.#interrupt();
      return;
    }
    const promised = this.#noted;
    if (promised !== undefined && PROMISES.includes(promised)) this.#draft.note = [];
    if (key.ctrl && key.name === 't') this.#isAboveOpen = !this.#isAboveOpen;
    if (key.name === 'tab' && key.shift) this.#nextMode();
    else if (this.#draft.isEmpty && key.name === 'up' && this.#queue.length > 0)
      this.#draft.replace(this.#queue.pop()?.text ?? ''); // C2
    else if (this.#draft.isEmpty && key.name === 'tab' && this.#aside !== undefined)
      this.#aside.resolve('answer');
    else this.#act(this.#draft.press(key), promised);
  }

  #nextMode(): void {
    if (this.#isClosed) return;
    if (this.#aside !== undefined) {
      this.#draft.note = [ANSWER_FIRST]; // C4
      return;
    }
    if (this.#turnMode === undefined) {
      this.#early += 1;
      return;
    }
    void this.#turnMode().then((words) => {
      this.#draft.note = [words];
      this.#shown.changed();
    });
  }

  #act(effect: LineStep['effect'], promised: string | undefined): void {
    switch (effect) {
      case 'submit':
        this.#enter();
        return;
      case 'end':
        this.#leave('Ctrl-D');
        return;
      case 'escape':
        this.#escape(promised);
        return;
      case 'clear-screen':
        this.#options.device.screen.clearAll();
        return;
      case 'interrupt':
      case 'complete':
      case 'none':
      case 'ignored':
        return;
    }
  }

  /**
   * Stops the run and puts its queued messages back into the line. At the prompt, a second press clears the
   * line or goes back to an earlier message.
   */
  #escape(promised: string | undefined): void {
    if (this.#waiting === undefined) {
      if (this.#aside !== undefined) return;
      this.#stop(this.#options.onStop);
      return;
    }
    const { back } = this.#draft.offers;
    const isEmpty = this.#draft.isEmpty;
    if (isEmpty && back === undefined) return;
    const again = isEmpty ? ESCAPE_GOES_BACK : ESCAPE_CLEARS;
    if (promised !== again) this.#draft.note = [again];
    else if (isEmpty) this.#waiting.resolve({ type: 'message', text: back ?? '' });
    else this.#draft.putBy();
  }

  /** Stops the run with `by`, and puts its queued messages back into the line (C2). */
  #stop(by: (() => void) | undefined): void {
    if (this.#options.stopsRun?.() !== false) this.#takeBack();
    by?.();
  }

  /** C2 */
  #takeBack(): void {
    const queued = this.#queue.splice(0);
    if (queued.length === 0) return;
    const draft = this.#draft.take();
    const entries = draft === undefined ? queued : [...queued, draft];
    this.#draft.replace(entries.map(({ text }) => text).join('\n'));
    this.#draft.note = [BACK_IN_LINE];
  }

  #leave(why: string): void {
    if (this.#aside !== undefined) this.#aside.resolve('leave');
    else this.#waiting?.resolve({ type: 'end', why });
  }

  #interrupt(): void {
    const isRunning = this.#waiting === undefined && this.#aside === undefined;
    // What the first press put back into the line does not keep the second one from the program.
    const isHeard = isRunning && this.#noted === BACK_IN_LINE;
    if (!this.#draft.isEmpty && !this.#isClosed && !isHeard) {
      this.#draft.clear();
      return;
    }
    if (isRunning) this.#stop(this.#options.onInterrupt);
    else if (this.#noted === AGAIN) this.#leave('Ctrl-C');
    else this.#draft.note = [AGAIN];
  }

  #enter(): void {
    const entry = this.#draft.take();
    if (entry === undefined) return;
    if (this.#aside !== undefined && this.#moved(this.#aside, entry)) return;
    if (this.#waiting !== undefined) {
      this.#waiting.resolve(this.#taken(entry));
      return;
    }
    this.#queue.push(entry);
    if (this.#aside === undefined) this.#handOver();
  }

  /** Delivers the queued lines, or keeps them queued if there is no receiver. */
  #handOver(): void {
    if (this.#deliver === undefined) return;
    for (const entry of this.#queue.splice(0)) {
      this.#taken(entry);
      this.#deliver(entry.text);
    }
  }

  /** C4 */
  #moved(aside: Aside, entry: Entry): boolean {
    const text = entry.text.trim();
    const move = ASIDE_MOVES.get(text);
    if (move !== undefined) aside.resolve(move);
    else if (this.#beside(text)) this.#taken(entry);
    else return false;
    return true;
  }

  /** C3 */
  #taken({ text, shown }: Entry): Turn {
    const { device, prompt = '> ', theme } = this.#options;
    const { screen } = device;
    screen.append(enteredRows(shown, { prompt, columns: screen.size.columns, theme }));
    if (this.#draft.remember(text)) void this.#options.history?.add(text, new AbortController().signal);
    return { type: 'message', text };
  }
}
