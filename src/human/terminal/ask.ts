import type { AlwaysOffer, Interrupt, RulePlace, RunState, ToolRule } from '../../core/index.js';
import { alwaysOffers, escapeText, messageOf, SESSION_SIZES, wrapWords } from '../../core/index.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import type { PickContext } from '../prompt/pick-one.js';
import { answered, BACK } from '../prompt/prompter.js';
import { askKey } from '../prompt/key-prompt.js';
import { askOnce } from '../prompt/pick-one.js';
import { viewAndDecide, viewWhole } from '../prompt/view-whole.js';
import type { EarlyAnswer, QuestionView } from '../question/question-text.js';
import type { ScreenSize } from '../device/live-screen.js';
import { AskedWindow } from '../look/asked-window.js';
import { wholeRows } from '../look/terminal-look.js';
import { withHighlights } from '../look/highlight.js';
import { earlyAnswerView, questionView, toolOf } from '../question/question-text.js';
import { lastingWords } from '../question/key-words.js';
import type { AlwaysFor, AlwaysMenu, AlwaysMove } from './always.js';
import { alwaysChoices, alwaysLines } from './always.js';
import type { Matter } from './decide.js';
import { decide, respond } from './decide.js';
import type { Move } from './keys.js';
import { explained, movesOf } from './keys.js';
import type { Recorded } from './recorded-line.js';

export interface AskOptions {
  /** All open interrupts, for "1 of 2". */
  readonly open: readonly Interrupt[];
  readonly editor?: Matter['editor'];
  /** Esc returns to the caller; otherwise it returns to the answer. */
  readonly leavesWithEsc: boolean;
  /** Whether later calls of a tool can be approved. */
  readonly offersAlways: (interrupt: Interrupt) => boolean;
  readonly keep?: KeepRule;
}

/** Keeps a rule of the person, for the folder that they work in. */
export interface KeepRule {
  readonly place: RulePlace;
  rule(rule: ToolRule): Promise<void>;
}

/** With fewer rows left, the question is not drawn next to the `?` help. */
const LEAST_ROOM = 4;
/** Rows that the keys of a question and its last line take at most. */
const MOST_KEY_ROWS = 4;

/** The question, and how it is shown. */
interface Asking {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly view: QuestionView;
}

/** One interrupt on screen, until it is decided or the user wants to see others. */
class Question {
  readonly #prompter: Prompter;
  readonly #options: AskOptions;
  readonly #view: QuestionView;
  readonly #asked: AskedWindow;
  readonly #matter: Matter;
  /** Text of `?`, shown until the next key. */
  #said: readonly string[] = [];

  constructor(prompter: Prompter, { interrupt, state, view }: Asking, options: AskOptions) {
    this.#prompter = { ...prompter, view: (size) => this.#rows(size) };
    this.#options = options;
    this.#view = view;
    this.#asked = new AskedWindow(view, prompter.theme);
    this.#matter = {
      view: this.#view,
      interrupt,
      state,
      tool: toolOf(interrupt, state),
      ...(options.editor && { editor: options.editor }),
    };
  }

  async ask(): Promise<Asked<Recorded>> {
    if (this.#view.interrupt.kind !== 'question') return this.#askMoves();
    for (let isFirst = true; ; isFirst = false) {
      const asked = await respond(this.#prompter, this.#matter, isFirst);
      if (asked.type === 'answered') return answered({ resolution: asked.value });
      const moved = await this.#askMoves();
      if (moved.type === 'answered' || this.#options.leavesWithEsc) return moved;
    }
  }

  /** Returns the question and the `?` text; if there is no room for the question, it counts as not shown. */
  #rows(size: ScreenSize): readonly string[] {
    const { theme } = this.#prompter;
    const said = this.#said.flatMap((line) => wrapWords(line, size.columns - 1, '   ').map(theme.dim));
    const room = size.rows - said.length;
    if (room >= LEAST_ROOM || said.length === 0) return [...this.#asked.rows(size.columns, room), ...said];
    this.#asked.hide();
    return said;
  }

  get #moves(): readonly KeyChoice<Move>[] {
    const always = this.#options.offersAlways(this.#view.interrupt);
    return movesOf(this.#view, { refusal: this.#asked.refusal, always });
  }

  async #askMoves(): Promise<Asked<Recorded>> {
    for (;;) {
      const asked = await askKey<Move>(this.#prompter, {
        message: this.#view.decision,
        choices: () => this.#moves,
        scroll: (key) => this.#asked.press(key),
      });
      const isListOpen = this.#said.length > 0;
      this.#said = [];
      if (asked.type === 'back') {
        if (isListOpen) continue; // Esc closes what `?` said
        return BACK;
      }
      const decision = await this.#make(asked.value);
      if (decision.type === 'answered') return decision;
    }
  }

  async #make(move: Move): Promise<Asked<Recorded>> {
    switch (move.type) {
      case 'way': {
        const asked = await decide(this.#prompter, this.#matter, move.way);
        return asked.type === 'back' ? BACK : answered({ resolution: asked.value });
      }
      case 'always':
        return this.#askAlways();
      case 'view':
        return this.#viewAll();
      case 'more':
        await this.#explain();
        return BACK;
    }
  }

  /** Asks for the scope of later approvals; the widest needs two presses. */
  async #askAlways(): Promise<Asked<Recorded>> {
    const lasts = lastingWords(this.#view.interrupt);
    // A rule that is kept has no end, and the approval does.
    const keeps = this.#options.keep !== undefined && lasts === undefined;
    let menu: AlwaysMenu = {
      offers: this.#offers(),
      counts: 'session',
      keeps,
      sure: false,
      ...(lasts !== undefined && { lasts }),
    };
    for (;;) {
      const asked = await this.#askMenu(menu);
      if (asked.type === 'back') return BACK;
      const move = asked.value;
      if (move.type === 'turn') menu = { ...menu, counts: move.to, sure: false };
      else if (move.offer.size === 'tool' && !menu.sure) menu = { ...menu, sure: true };
      else return this.#takeAlways(move.offer, menu.counts);
    }
  }

  /** Shows the scopes below the question, or on their own screen if there is no room. */
  async #askMenu(menu: AlwaysMenu): Promise<Asked<AlwaysMove>> {
    const lines = alwaysLines(menu);
    if (!this.#hasRoomFor(lines)) {
      const { decided } = await viewAndDecide(this.#prompter, this.#dimmed(lines), alwaysChoices(menu));
      return decided === undefined ? BACK : answered(decided.value);
    }
    this.#said = lines;
    const asked = await askKey<AlwaysMove>(this.#prompter, {
      message: 'Approve, and always allow:',
      choices: alwaysChoices(menu),
    });
    this.#said = [];
    return asked;
  }

  #offers(): readonly AlwaysOffer[] {
    const { source, payload } = this.#view.interrupt;
    if (source.type !== 'tool') return [];
    const { name, input } = source;
    const { tool } = this.#matter;
    const call = { name, input, payload, ...(tool !== undefined && { tool }) };
    return alwaysOffers(SESSION_SIZES, call, this.#options.keep?.place);
  }

  /** A rule that cannot be saved approves nothing: the user gets the reason and is asked again. */
  async #takeAlways(offer: AlwaysOffer, counts: AlwaysFor): Promise<Asked<Recorded>> {
    const { keep } = this.#options;
    const kept = counts === 'folder' && keep !== undefined && offer.rule !== undefined;
    try {
      if (kept) await keep.rule(offer.rule);
    } catch (thrown) {
      this.#said = [escapeText(messageOf(thrown))];
      return BACK;
    }
    return answered({ resolution: { action: 'restart' }, always: { offer, kept } });
  }

  /** Shows the full request page by page; the question's keys work once all of it was seen. */
  async #viewAll(): Promise<Asked<Recorded>> {
    const { theme } = this.#prompter;
    const always = this.#options.offersAlways(this.#view.interrupt);
    const moves = movesOf(this.#view, { always }).filter(({ value }) => value.type === 'way');
    const rows = (columns: number) => wholeRows(this.#view, columns, theme);
    const { seen, decided } = await viewAndDecide(this.#prompter, rows, moves);
    if (seen) this.#asked.markSeen();
    return decided === undefined ? BACK : this.#make(decided.value);
  }

  /** Explains each key: below the question, or on its own screen if there is no room. */
  async #explain(): Promise<void> {
    const lines = explained(this.#moves);
    if (this.#hasRoomFor(lines)) this.#said = lines;
    else await viewWhole(this.#prompter, this.#dimmed(lines));
  }

  #hasRoomFor(lines: readonly string[]): boolean {
    const { columns, rows } = this.#prompter.terminal;
    return rows - this.#dimmed(lines)(columns).length >= MOST_KEY_ROWS + LEAST_ROOM;
  }

  #dimmed(lines: readonly string[]): (columns: number) => readonly string[] {
    const { theme } = this.#prompter;
    return (columns) => lines.flatMap((line) => wrapWords(line, columns - 1, '   ')).map(theme.dim);
  }
}

/** Shows one interrupt and asks for a decision; Esc goes back. */
export async function askInterrupt(
  prompter: Prompter,
  interrupt: Interrupt,
  state: RunState,
  options: AskOptions,
): Promise<Asked<Recorded>> {
  const { clock, theme } = prompter;
  const view = questionView(interrupt, state, { open: options.open, now: clock.now(), limits: null });
  const shown = theme.syntax === undefined ? view : await withHighlights(view);
  return new Question(prompter, { interrupt, state, view: shown }, options).ask();
}

/**
 * Shows one interrupt with an earlier answer and asks whether to use it. `y` works once everything was on
 * screen; any other key is no.
 */
export async function confirmEarly(
  context: PickContext,
  early: EarlyAnswer,
  signal: AbortSignal,
): Promise<boolean> {
  const { theme, clock } = context;
  const view = earlyAnswerView(early, clock.now());
  const asked = new AskedWindow(theme.syntax === undefined ? view : await withHighlights(view), theme);
  const choices = (): readonly KeyChoice<boolean>[] => [
    {
      key: 'y',
      label: early.yes,
      value: true,
      ...(asked.refusal !== undefined && { disabled: asked.refusal }),
    },
    { key: 'n', label: early.no, value: false },
  ];
  const question = { message: early.message, choices, scroll: (key: string) => asked.press(key) };
  const said = await askOnce(
    context,
    (prompter) => askKey({ ...prompter, view: ({ columns, rows }) => asked.rows(columns, rows) }, question),
    signal,
  );
  return said.type === 'answered' && said.value;
}
