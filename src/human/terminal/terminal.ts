// Invariants:
// T1 Only a key that a person pressed decides; whatever else ends a question leaves it open (law 6, G30).
// T2 An answer carries the digest of the interrupt that was shown (G11); an answer for several is kept per digest.
import type {
  Actor,
  AskingHelp,
  AskResult,
  Clock,
  HumanChannel,
  Interrupt,
  JsonObject,
  Resolution,
  RunState,
} from '../../core/index.js';
import {
  callAt,
  escapeText,
  HitlError,
  invariant,
  laidOut,
  isHitlError,
  messageOf,
  present,
  shownResolution,
  titleOf,
  wrapWords,
} from '../../core/index.js';
import { GivenTogether, shownKey } from '../question/together.js';
import { approvedBefore } from '../question/effect-words.js';
import { toolOf } from '../question/question-text.js';
import type { TextEditor } from '../edit-json/editor.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import { answered, BACK } from '../prompt/prompter.js';
import type { AlertOptions } from '../device/alert.js';
import type { HeldTerminal } from '../device/ports.js';
import type { TerminalDevice } from '../device/device.js';
import type { TerminalTheme } from '../device/theme.js';
import { alertPerson, restoreTitle } from '../device/alert.js';
import type { AskOptions, KeepRule } from './ask.js';
import type { FormDraft, QuestionDrafts } from '../prompt/ask-text.js';
import { askInterrupt } from './ask.js';
import type { Picked } from './together.js';
import { pickOpen } from './together.js';
import { SeenRows } from '../look/asked-window.js';
import type { Recorded } from './recorded-line.js';
import { agrees, recordedLine } from './recorded-line.js';

export interface TerminalChannelOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  /** The user at the terminal. */
  readonly actor: Actor;
  /** Text editor that the user prefers for inputs. Default: inputs are edited only in forms. */
  readonly editor?: TextEditor;
  /** Whether the user may also approve later calls. Default: at every tool confirmation. */
  readonly offersAlways?: (interrupt: Interrupt) => boolean;
  /** Saves an approval of later calls as a user rule. Default: such approvals apply only to the session. */
  readonly keep?: KeepRule;
  /**
   * Shows the message prompt while questions stay open, and resolves with the user's next action. `waiting`
   * lists the questions in one escaped line. Default: there is no such prompt, and a user who leaves one
   * question leaves all of them.
   */
  readonly aside?: (
    open: number,
    how: 'Esc' | 'Ctrl-C',
    signal: AbortSignal,
    waiting: string,
  ) => Promise<AsideMove>;
  /**
   * Rings the bell and sets the terminal's title when a question follows a long period of work. Default:
   * never.
   */
  readonly alert?: AlertOptions;
  /** Returns the rows to print below a decision to show the resulting change. Default: none. */
  readonly changed?: (interrupt: Interrupt, resolution: Resolution, columns: number) => readonly string[];
}

/** The action that the user chooses while questions are postponed. */
export type AsideMove = 'answer' | 'cancel' | 'leave';

/** Thrown if the user postpones a question without leaving the session. */
class PutAside extends Error {
  readonly how: 'Esc' | 'Ctrl-C';

  constructor(how: 'Esc' | 'Ctrl-C') {
    super(`postponed with ${how}`);
    this.how = how;
  }
}

/** A decision about one open interrupt. */
interface Settled {
  readonly interrupt: Interrupt;
  readonly decision: Recorded;
  /** Input schema, which identifies the secrets in an edited input. */
  readonly input?: JsonObject | undefined;
}

/** Output for lines that stay on screen. */
type Output = Pick<HeldTerminal, 'write' | 'columns'>;

/** Open questions, with optional help for previewing edits. */
interface Waiting {
  readonly open: readonly Interrupt[];
  readonly state: RunState;
  readonly help?: AskingHelp;
}

/** Keeps the text typed at open questions, without secrets and only in this process. */
class Drafts {
  #kept = new Map<string, Map<string, FormDraft>>();

  of(interrupt: Interrupt, open: readonly Interrupt[]): QuestionDrafts {
    // What is not asked any more is forgotten.
    const before = this.#kept;
    this.#kept = new Map(
      open.map((one) => [shownKey(one), before.get(shownKey(one)) ?? new Map<string, FormDraft>()]),
    );
    const forms = this.#kept.get(shownKey(interrupt)) ?? new Map<string, FormDraft>();
    return {
      of: (form) => ({
        read: () => forms.get(form),
        keep: (draft) => {
          if (draft === undefined) forms.delete(form);
          else forms.set(form, draft);
        },
      }),
    };
  }
}

/** Asks a user at a terminal about open interrupts. They stay open if the user leaves. */
export class TerminalChannel implements HumanChannel {
  readonly interactive = true;
  readonly #options: TerminalChannelOptions;
  /** Answers given to several questions at once, kept until each question's turn (T2). */
  readonly #given = new GivenTogether();
  /** Rows that have been seen of each open question and of each list of questions. */
  readonly #seen = new Map<string, SeenRows>();
  readonly #drafts = new Drafts();

  constructor(options: TerminalChannelOptions) {
    this.#options = options;
  }

  /**
   * Discards the unused answers that were given to several questions at once, because the user stopped the
   * run and must be asked again.
   */
  forget(): void {
    this.#given.forget();
  }

  async ask(
    open: readonly Interrupt[],
    state: RunState,
    signal: AbortSignal,
    help?: AskingHelp,
  ): Promise<AskResult> {
    invariant(open.length > 0, 'no questions to ask');
    this.#forgetSeen(open);
    const { device, aside } = this.#options;
    const asking = { open, state, ...present({ help }) };
    for (;;) {
      const leaving = new AbortController();
      const either = AbortSignal.any([signal, leaving.signal]);
      try {
        return await device.use((held) => this.#askHeld(held, asking, leaving), either);
      } catch (error) {
        const gone = [signal, leaving.signal, device.hungUp].find((one) => one.aborted);
        if (gone === undefined) throw error;
        const reason: unknown = gone.reason;
        if (aside === undefined || !(reason instanceof PutAside))
          return { type: 'left-open', why: messageOf(reason) };
        const waiting = waitingLine(asking);
        const move = await aside(open.length, reason.how, signal, waiting).catch(() => 'withdrawn' as const);
        const moved = this.#moved(move, asking, signal);
        if (moved !== undefined) return moved;
      }
    }
  }

  /**
   * Returns the result of the action chosen while questions are postponed, or `undefined` if they are to be
   * asked again.
   */
  #moved(move: AsideMove | 'withdrawn', asking: Waiting, signal: AbortSignal): AskResult | undefined {
    const { open } = asking;
    const { screen } = this.#options.device;
    const out: Output = {
      columns: screen.size.columns,
      write: (text, about) => {
        screen.append(text, undefined, about);
      },
    };
    switch (move) {
      case 'answer':
        return undefined;
      case 'cancel': {
        const found = open.find(({ allowed }) => allowed.includes('cancel'));
        if (found === undefined) return undefined;
        const settled: Settled = { interrupt: found, decision: { resolution: { action: 'cancel' } } };
        return this.#result(out, settled);
      }
      case 'leave':
        // What was a row of the prompt stays on the screen.
        this.#note(out, waitingLine(asking));
        return { type: 'left-open', why: 'exited with an open question' };
      case 'withdrawn':
        return { type: 'left-open', why: signal.aborted ? messageOf(signal.reason) : 'the terminal is gone' };
    }
  }

  async #askHeld(terminal: HeldTerminal, asking: Waiting, leaving: AbortController): Promise<AskResult> {
    const { open } = asking;
    const { clock, theme } = this.#options;
    const leave = (why: string) => {
      const isAside = why !== 'Ctrl-D' && this.#options.aside !== undefined;
      const how = why === 'Ctrl-C' ? 'Ctrl-C' : 'Esc';
      leaving.abort(isAside ? new PutAside(how) : new HitlError('ABORTED', `left with ${why}`));
    };
    const isTitleSet = alertPerson(terminal, this.#options.alert);
    try {
      const settled =
        this.#takeGiven(open) ?? (await this.#settle({ terminal, clock, theme, leave }, asking));
      return this.#result(terminal, settled);
    } catch (error) {
      if (terminal.signal.aborted) {
        const reason: unknown = terminal.signal.reason;
        // What was put aside stands at the prompt until it is answered.
        const why = reason instanceof PutAside ? undefined : withdrawnWords(reason);
        if (why !== undefined) this.#note(terminal, why);
      }
      throw error;
    } finally {
      if (isTitleSet) restoreTitle(terminal);
    }
  }

  /** Writes a line of escaped text that stays on screen. */
  #note(terminal: Output, text: string): void {
    const { theme } = this.#options;
    const rows = wrapWords(text, terminal.columns - 1, '  ').map((row) => theme.dim(row.trimEnd()));
    terminal.write(laidOut(`${rows.join('\n')}\n`));
  }

  #takeGiven(open: readonly Interrupt[]): Settled | undefined {
    const given = this.#given.take(open);
    return given && { interrupt: given.interrupt, decision: { resolution: given.resolution } };
  }

  async #settle(prompter: Prompter, asking: Waiting): Promise<Settled> {
    const { open, state } = asking;
    for (;;) {
      const picked = await this.#pick(prompter, open, state);
      if (picked.type === 'answered') {
        const asked = await this.#askPicked(prompter, picked.value, asking);
        if (asked.type === 'answered') return asked.value;
        if (open.length > 1) continue;
      }
      if (this.#options.aside !== undefined) prompter.leave('Esc');
      prompter.terminal.signal.throwIfAborted();
    }
  }

  async #pick(prompter: Prompter, open: readonly Interrupt[], state: RunState): Promise<Asked<Picked>> {
    const [first, ...others] = open;
    if (first === undefined) return BACK;
    if (others.length === 0) return answered({ type: 'one', interrupt: first });
    const drafts = this.#drafts.of(first, open);
    return pickOpen(prompter, open, state, { seen: this.#seenOf(open), drafts });
  }

  /** Returns the rows of these questions that were seen when the questions were shown together. */
  #seenOf(asked: readonly Interrupt[]): SeenRows {
    const key = asked.map(shownKey).join('\n');
    const seen = this.#seen.get(key) ?? new SeenRows();
    this.#seen.set(key, seen);
    return seen;
  }

  /** Discards the seen rows of questions that are no longer open. */
  #forgetSeen(open: readonly Interrupt[]): void {
    const keys = new Set(open.map(shownKey));
    for (const key of this.#seen.keys())
      if (!key.split('\n').every((one) => keys.has(one))) this.#seen.delete(key);
  }

  async #askPicked(
    prompter: Prompter,
    picked: Picked,
    { open, state, help }: Waiting,
  ): Promise<Asked<Settled>> {
    const { editor, offersAlways = () => true, keep, actor: you } = this.#options;
    if (picked.type === 'one') {
      const hasPrompt = this.#options.aside !== undefined;
      const leavesWithEsc = open.length > 1 || hasPrompt;
      const drafts = this.#drafts.of(picked.interrupt, open);
      const seen = this.#seenOf([picked.interrupt]);
      const kept = { drafts, seen, you, ...present({ editor, keep, help }) };
      const options: AskOptions = { open, offersAlways, leavesWithEsc, hasPrompt, ...kept };
      const asked = await askInterrupt(prompter, picked.interrupt, state, options);
      if (asked.type === 'back') return BACK;
      const { interrupt } = picked;
      const input = toolOf(interrupt, state)?.inputSchema;
      return answered({ interrupt, decision: asked.value, input });
    }
    const [first, ...others] = picked.interrupts;
    if (first === undefined) return BACK;
    this.#given.give(others, picked.resolution);
    return answered({ interrupt: first, decision: { resolution: picked.resolution } });
  }

  #result(terminal: Output, { interrupt, decision, input }: Settled): AskResult {
    const { theme, actor, changed } = this.#options;
    const paint = agrees(decision) ? theme.success : theme.dim;
    const sign = agrees(decision) ? '✓' : '✗';
    const { seen } = decision;
    const isEdit = decision.resolution.action === 'restart' && seen !== undefined;
    const told = isEdit ? { ...decision.resolution, shown: seen } : decision.resolution;
    const shown = shownResolution(told, { interrupt, input });
    const line = `${sign} ${recordedLine(interrupt, { ...decision, resolution: shown })}`;
    const rows = wrapWords(line, terminal.columns - 1, '  ').map((row) => paint(row.trimEnd()));
    const { id, digest, source, path } = interrupt;
    const about = source.type === 'tool' ? callAt(path, source.ref) : undefined;
    const change = changed?.(interrupt, told, terminal.columns) ?? [];
    terminal.write(laidOut(`${[...rows, ...change].join('\n')}\n`), about);
    const { resolution, always, unread } = decision;
    return {
      type: 'answered',
      answer: { id, digest, resolution, by: actor, ...present({ unread }) },
      ...(always?.kept === false && { always: always.offer.size }),
      ...present({ seen }),
    };
  }
}

/** `⏸ waiting  transfer_money` */
function waitingLine({ open, state }: Waiting): string {
  const [first] = open;
  const subject = first === undefined ? '' : titleOf(first).text;
  const approved = first === undefined ? undefined : approvedBefore(first, state);
  const more = open.length > 1 ? `, and ${open.length - 1} more` : '';
  return `⏸ waiting  ${subject}${more}${approved === undefined ? '' : ` · ${approved}`}`;
}

/**
 * Explains why a question disappeared from the screen. Returns `undefined` if it was answered elsewhere,
 * because another line reports that decision.
 */
function withdrawnWords(reason: unknown): string | undefined {
  const { code, hint } = isHitlError(reason) ? reason : {};
  if (code === 'ALREADY_ANSWERED' || (code === 'ABORTED' && hint !== undefined)) return undefined;
  return `not answered: ${escapeText(messageOf(reason))}`;
}
