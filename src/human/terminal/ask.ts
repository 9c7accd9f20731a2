import type { Interrupt, RunState } from '../../core/index.js';
import { wrapWords } from '../../core/index.js';
import type { Asked, KeyChoice, Prompter } from '../prompt/index.js';
import { answered, askKey, BACK, viewWhole } from '../prompt/index.js';
import type { QuestionView } from '../question/index.js';
import type { ScreenSize } from '../device/index.js';
import { AskedWindow, questionView, toolOf, wholeRows, withHighlights } from '../question/index.js';
import type { Matter } from './decide.js';
import { decide, respond } from './decide.js';
import type { Move } from './keys.js';
import { explained, movesOf } from './keys.js';
import type { Recorded } from './recorded-line.js';

export interface AskOptions {
  /** Every open interrupt, for "1 of 2". */
  readonly open: readonly Interrupt[];
  readonly editor?: Matter['editor'];
  readonly checkInput: Matter['checkInput'];
  /** Esc at the keys goes to whoever asked; else it goes back to the answer. */
  readonly leavesWithEsc: boolean;
  /** Whether later calls of a tool may be approved here as well. */
  readonly offersAlways: (interrupt: Interrupt) => boolean;
}

/** Rows of a question below which it is not drawn beside what `?` says. */
const LEAST_ROOM = 4;

/** What is asked about, and how it is shown. */
interface Asking {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly view: QuestionView;
}

/** One interrupt on the screen, until it is decided or the person wants to see others first. */
class Question {
  private readonly prompter: Prompter;
  private readonly options: AskOptions;
  private readonly view: QuestionView;
  private readonly asked: AskedWindow;
  private readonly matter: Matter;
  /** What `?` says, until the next key. */
  private said: readonly string[] = [];

  constructor(prompter: Prompter, { interrupt, state, view }: Asking, options: AskOptions) {
    this.prompter = { ...prompter, view: (size) => this.rows(size) };
    this.options = options;
    this.view = view;
    this.asked = new AskedWindow(view, prompter.theme);
    this.matter = {
      view: this.view,
      interrupt,
      state,
      tool: toolOf(interrupt, state),
      checkInput: options.checkInput,
      ...(options.editor && { editor: options.editor }),
    };
  }

  async ask(): Promise<Asked<Recorded>> {
    if (this.view.interrupt.kind !== 'question') return this.askMoves();
    for (let isFirst = true; ; isFirst = false) {
      const asked = await respond(this.prompter, this.matter, isFirst);
      if (asked.type === 'answered') return answered({ resolution: asked.value });
      const moved = await this.askMoves();
      if (moved.type === 'answered' || this.options.leavesWithEsc) return moved;
    }
  }

  /** The question, and what `?` says; where that leaves no room, the question was not shown. */
  private rows(size: ScreenSize): readonly string[] {
    const { theme } = this.prompter;
    const said = this.said.flatMap((line) => wrapWords(line, size.columns - 1, '   ').map(theme.dim));
    const room = size.rows - said.length;
    return room < LEAST_ROOM && said.length > 0 ? said : [...this.asked.rows(size.columns, room), ...said];
  }

  private get moves(): readonly KeyChoice<Move>[] {
    const always = this.options.offersAlways(this.view.interrupt);
    return movesOf(this.view, { unseen: this.asked.unseen, always });
  }

  private async askMoves(): Promise<Asked<Recorded>> {
    for (;;) {
      const asked = await askKey<Move>(this.prompter, {
        message: 'Your decision:',
        choices: () => this.moves,
        scroll: (key) => this.asked.press(key),
      });
      if (asked.type === 'back') {
        return BACK;
      }
      this.said = [];
      const decision = await this.make(asked.value);
      if (decision.type === 'answered') return decision;
    }
  }

  private async make(move: Move): Promise<Asked<Recorded>> {
    const { prompter } = this;
    switch (move.type) {
      case 'way': {
        const { always } = move.way;
        const asked = await decide(prompter, this.matter, move.way);
        return asked.type === 'back'
          ? BACK
          : answered({ resolution: asked.value, ...(always && { always }) });
      }
      case 'view':
        await this.viewAll();
        return BACK;
      case 'more':
        this.said = explained(this.moves);
        return BACK;
    }
  }

  private async viewAll(): Promise<void> {
    const { theme } = this.prompter;
    const complete = await viewWhole(this.prompter, (columns) => wholeRows(this.view, columns, theme));
    if (complete) this.asked.markSeen();
  }
}

/** Shows one interrupt and asks what to do about it; Esc goes back. */
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
