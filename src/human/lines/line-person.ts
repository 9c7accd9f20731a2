// Invariants:
// L1 Only a line that was entered after the whole question was written decides (law 6, G30): what came before, or
//    together with other lines, is kept as what the person says next. Nothing that was typed is lost.
// L2 Nothing is redrawn, and nothing moves the cursor: a screen reader and a serial line get what a terminal gets.
import type {
  Actor,
  AskResult,
  Clock,
  HumanChannel,
  Interrupt,
  JsonObject,
  Resolution,
  RunState,
  TurnSource,
  Shown,
} from '../../core/index.js';
import { count, escapeText, messageOf, laidOut, wrapWords } from '../../core/index.js';
import { parseAnswer } from '../answer/parse-answer.js';
import type { EarlyAnswer, QuestionView } from '../question/question-text.js';
import { earlyAnswerView, questionView, toolOf } from '../question/question-text.js';
import { formOf, passedOn } from '../question/form-fields.js';
import { oneLineOf } from '../question/question-plain.js';
import {
  areAnsweredTogether,
  areRejectedTogether,
  leftWords,
  GivenTogether,
  togetherKeys,
  togetherOf,
  waitingWords,
} from '../question/together.js';
import { askedInLines, questionInLines } from '../look/question-in-lines.js';
import { recordedLine } from '../terminal/recorded-line.js';
import type { Line, LineSource } from '../script/line-source.js';
import { TextLines } from '../script/scripted-lines.js';
import type { FieldAsker } from './ask-fields.js';
import { askFields } from './ask-fields.js';

export interface LinePersonOptions {
  /** The only reader of the terminal's input. */
  readonly lines: LineSource;
  readonly write: (text: Shown) => void;
  readonly clock: Clock;
  /** The user at the terminal. */
  readonly actor: Actor;
  /** Returns the terminal's width, or `undefined` if it is unknown. */
  readonly columns?: () => number | undefined;
  /** Turns the terminal's echo on or off. Returns false if the echo cannot be changed. */
  readonly echo: (isShown: boolean) => boolean;
}

/**
 * Asks a user at a terminal that cannot be redrawn: each question is written once and answered with one line.
 */
export interface LinePerson {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** Shows a complete question with an answer given earlier, and asks whether to use that answer. */
  readonly confirmEarly: (early: EarlyAnswer, signal: AbortSignal) => Promise<boolean>;
  /** Asks a yes-or-no question that is not part of a session. Any answer except `y` or `yes` means no. */
  readonly confirm: (message: string, signal: AbortSignal) => Promise<boolean>;
  /** Discards unused answers that were given to several questions at once. */
  readonly forget: () => void;
}

/** Width assumed for a terminal whose width is unknown. */
const FEWEST_COLUMNS = 80;
const PROMPT = '> ';
/**
 * Time after a question during which an entered line is too early to be an answer, in milliseconds. The user
 * cannot have read the question that soon.
 */
const DEAF_MS = 300;

/** Creates a plain-line user interface that accepts the same lines as scripts. */
export function createLinePerson(options: LinePersonOptions): LinePerson {
  const person = new Person(options);
  return {
    channel: { interactive: true, ask: (open, state, signal) => person.ask(open, state, signal) },
    confirm: (message, signal) => person.confirm(message, signal),
    forget: () => {
      person.forget();
    },
    confirmEarly: (early, signal) => {
      person.show(earlyAnswerView(early, options.clock.now()));
      return person.confirm(early.message, signal);
    },
    turns: {
      async next(_state, signal) {
        const text = await person.turn(signal);
        return text === undefined ? { type: 'end', why: 'the input has ended' } : { type: 'message', text };
      },
    },
  };
}

class Person {
  readonly #options: LinePersonOptions;
  readonly #turns: TextLines;
  /** Answers given to several questions at once, kept until each question's turn. */
  readonly #given = new GivenTogether();
  /** Lines entered too early to be an answer, kept as later messages (L1). */
  #early: readonly Line[] = [];

  constructor(options: LinePersonOptions) {
    this.#options = options;
    const { lines } = options;
    const source: LineSource = {
      next: async (signal) => this.#takeEarly() ?? lines.next(signal),
      arrived: () => [...this.#early, ...lines.arrived()],
      close: () => {
        lines.close();
      },
    };
    this.#turns = new TextLines(source, 'person');
  }

  async turn(signal: AbortSignal): Promise<string | undefined> {
    const [early] = this.#early;
    this.#write(early === undefined ? PROMPT : `${PROMPT}${escapeText(early.text)}\n`);
    const text = await this.#turns.turn(signal);
    if (text === undefined) this.#write('\n');
    return text;
  }

  async confirm(message: string, signal: AbortSignal): Promise<boolean> {
    this.#write(`${message}\n  y: yes\n  n: no\n`);
    const line = await this.#lineAfter('Your answer: ', signal);
    return ['y', 'yes'].includes(line?.toLowerCase() ?? '');
  }

  /** Writes a question in full. */
  show(view: QuestionView): void {
    this.#write(`${questionInLines(view, this.#columns)}\n`);
  }

  async ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult> {
    try {
      const picked = this.#given.take(open) ?? (await this.#picked(open, state, signal));
      if (picked === undefined) return LEFT;
      const { interrupt, resolution } = picked;
      return resolution === undefined
        ? await this.#askOne(interrupt, { open, state }, signal)
        : this.#recorded(interrupt, resolution);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      this.#write('\n');
      return { type: 'left-open', why: messageOf(signal.reason) };
    }
  }

  forget(): void {
    this.#given.forget();
  }

  /** Returns the question that the user picks, or `undefined` at the end of the input. */
  async #picked(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
  ): Promise<Picked | undefined> {
    if (areAnsweredTogether(open)) return this.#together(open, state, signal);
    const interrupt = await this.#which(open, signal);
    return interrupt && { interrupt };
  }

  /**
   * Writes several questions in full. The user can answer all of them at once, or enter the number of the one
   * to answer first.
   */
  async #together(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
  ): Promise<Picked | undefined> {
    const now = this.#options.clock.now();
    const views = open.map((interrupt) => questionView(interrupt, state, { open, limits: null, now }));
    const together = togetherOf(open, views, state);
    const { approve, reject, one } = togetherKeys(together);
    const left = leftWords(together);
    const leaves = left === undefined ? '' : this.#wrapped(left);
    const rejects = areRejectedTogether(open);
    const texts = views.map((view) => askedInLines(view, this.#columns));
    const hasYes = together.calm.length > 0;
    const ways = [
      ...(hasYes ? [`  ${approve.key}: ${approve.label}\n`] : []),
      ...(rejects ? [`  ${reject.key} [reason]: ${reject.label}\n`] : []),
      `  ${one.key.replace('–', '-')}: ${one.label}\n`,
    ];
    this.#write(`${waitingWords(open)}\n${leaves}${texts.join('\n')}\nAnswer with one of:\n${ways.join('')}`);
    for (;;) {
      const line = await this.#lineAfter('Your answer: ', signal);
      if (line === undefined) return undefined;
      const chosen = /^\d+$/u.test(line) ? open[Number(line) - 1] : undefined;
      if (chosen !== undefined) return { interrupt: chosen };
      const resolution = forAll(line, rejects);
      const isYes = resolution?.action === 'restart';
      const [interrupt, ...others] = isYes ? together.calm : open;
      if (resolution !== undefined && interrupt !== undefined) {
        this.#given.give(others, resolution);
        return { interrupt, resolution };
      }
      this.#write(
        `Enter ${[...(hasYes ? [approve.key] : []), ...(rejects ? [reject.key] : [])].join(', ')} or a number from 1 to ${open.length}.\n`,
      );
    }
  }

  #recorded(interrupt: Interrupt, resolution: Resolution): AskResult {
    const { id, digest } = interrupt;
    this.#write(this.#wrapped(recordedLine(interrupt, { resolution })));
    return { type: 'answered', answer: { id, digest, resolution, by: this.#options.actor } };
  }

  #wrapped(words: string): string {
    const rows = wrapWords(words, this.#columns - 1, '  ');
    return `${rows.map((row) => row.trimEnd()).join('\n')}\n`;
  }

  /** Returns the question that the user chooses, or `undefined` at the end of the input. */
  async #which(open: readonly Interrupt[], signal: AbortSignal): Promise<Interrupt | undefined> {
    if (open.length < 2) return open[0];
    const rows = open.map(
      (interrupt, index) => `  ${index + 1}. ${oneLineOf(interrupt, this.#columns - 8)}\n`,
    );
    this.#write(`${open.length} questions waiting:\n${rows.join('')}`);
    for (;;) {
      const line = await this.#lineAfter('Which one? (Enter for 1): ', signal);
      if (line === undefined) return undefined;
      const chosen = line === '' ? open[0] : open[/^\d+$/u.test(line) ? Number(line) - 1 : -1];
      if (chosen !== undefined) return chosen;
      this.#write(`Enter a number from 1 to ${open.length}.\n`);
    }
  }

  async #askOne(
    interrupt: Interrupt,
    { open, state }: { readonly open: readonly Interrupt[]; readonly state: RunState },
    signal: AbortSignal,
  ): Promise<AskResult> {
    const { actor, clock } = this.#options;
    const view = questionView(interrupt, state, { open, limits: null, now: clock.now(), you: actor });
    this.show(view);
    const tool = toolOf(interrupt, state);
    const form = formOf(interrupt);
    const wanted = passedOn(interrupt);
    const ask = (words: string, isSecret: boolean): Promise<string | undefined> =>
      isSecret ? this.#unseen(() => this.#lineAfter(words, signal)) : this.#lineAfter(words, signal);
    for (;;) {
      const line =
        form === undefined
          ? await ask('Your answer: ', view.secret)
          : await this.#formLine(form, view.secret, ask);
      if (line === undefined) return LEFT;
      const said =
        wanted === undefined || !YES.has(line.toLowerCase()) ? line : await this.#approval(wanted, ask);
      if (said === undefined) return LEFT;
      const parsed = parseAnswer(said, { interrupt, ...(tool !== undefined && { tool }) });
      if (parsed.ok) {
        const { resolution, always } = parsed.answer;
        const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by: actor };
        return { type: 'answered', answer, ...(always !== undefined && { always }) };
      }
      this.#say(parsed.message);
      this.#say(`Valid answers: ${parsed.fits.join(', ')}`);
    }
  }

  /**
   * Returns the line that answers a form. The user either types the whole line or is asked for one field at a
   * time.
   */
  async #formLine(form: JsonObject, isSecret: boolean, ask: FieldAsker['ask']): Promise<string | undefined> {
    const typed = await ask('Your answer (Enter to fill in each field): ', isSecret);
    if (typed !== '') return typed;
    const write = (text: string): void => {
      this.#write(text);
    };
    const value = await askFields(form, { ask, write, columns: this.#columns });
    return value === undefined ? undefined : `answer ${JSON.stringify(value)}`;
  }

  /**
   * Asks for the values that the tool requires, one field at a time, and returns the line that approves the
   * call with them.
   */
  async #approval(wanted: JsonObject, ask: FieldAsker['ask']): Promise<string | undefined> {
    const write = (text: string): void => {
      this.#write(text);
    };
    const value = await askFields(wanted, { ask, write, columns: this.#columns });
    return value === undefined ? undefined : `y ${JSON.stringify(value)}`;
  }

  /** Writes the prompt and returns the first line entered after it (L1). */
  async #lineAfter(words: string, signal: AbortSignal): Promise<string | undefined> {
    const { lines } = this.#options;
    for (;;) {
      await this.#settle(signal);
      this.#write(words);
      const line = await lines.next(signal);
      if (line === undefined) {
        this.#write('\n');
        return undefined;
      }
      if (lines.arrived().length === 0) return line.text.trim();
      this.#early = [...this.#early, line];
      this.#write('\nSeveral lines at once: not used as an answer; sent as messages later.\n');
    }
  }

  /** Sets aside lines that were entered too early. */
  async #settle(signal: AbortSignal): Promise<void> {
    const { lines, clock } = this.#options;
    const quiet = new AbortController();
    const end = (): void => {
      quiet.abort();
    };
    const deaf = clock.sleep(DEAF_MS, signal).then(end, end);
    const before = this.#early.length;
    for (;;) {
      const line = await lines.next(quiet.signal).catch((thrown: unknown) => {
        if (quiet.signal.aborted) return undefined;
        throw thrown;
      });
      if (line === undefined) break;
      this.#early = [...this.#early, line];
    }
    await deaf;
    signal.throwIfAborted();
    const early = this.#early.length - before;
    if (early > 0)
      this.#write(`Typed before the question, sent as messages later (${count(early, 'line')}).\n`);
  }

  async #unseen<T>(ask: () => Promise<T>): Promise<T> {
    const { echo } = this.#options;
    if (!echo(false)) this.#write('This terminal can’t hide what you type.\n');
    try {
      return await ask();
    } finally {
      if (echo(true)) this.#write('\n');
    }
  }

  /** Writes text wrapped at words. The terminal itself would break lines within words. */
  #say(text: string): void {
    const rows = wrapWords(text, this.#columns - 1, '  ').map((row) => `${row.trimEnd()}\n`);
    this.#write(rows.join(''));
  }

  #takeEarly(): Line | undefined {
    const [first, ...others] = this.#early;
    this.#early = others;
    return first;
  }

  get #columns(): number {
    return this.#options.columns?.() ?? FEWEST_COLUMNS;
  }

  #write(text: string): void {
    this.#options.write(laidOut(text));
  }
}

/** The question that the user picked, along with an answer if one was given for all questions. */
interface Picked {
  readonly interrupt: Interrupt;
  readonly resolution?: Resolution;
}

/** Parses an answer that applies to all questions. Returns `undefined` if the line is not such an answer. */
function forAll(line: string, rejects: boolean): Resolution | undefined {
  if (line === 'Y') return { action: 'restart' };
  const [, reason] = /^N(?:\s+(.*))?$/u.exec(line) ?? [];
  if (!rejects || !/^N(?:\s|$)/u.test(line)) return undefined;
  return reason === undefined ? { action: 'reject' } : { action: 'reject', reason };
}

const YES: ReadonlySet<string> = new Set(['y', 'yes', 'approve']);
const LEFT: AskResult = { type: 'left-open', why: 'the input has ended' };
