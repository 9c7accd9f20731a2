// Invariants:
// T1 Only a key that a person pressed decides; whatever else ends a question leaves it open (law 6, G30).
// T2 An answer carries the digest of the interrupt that was shown (G11); an answer for several is kept per digest.
import type {
  Actor,
  AskResult,
  Clock,
  HumanChannel,
  Interrupt,
  JsonObject,
  RunState,
} from '../../core/index.js';
import {
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
import { toolOf } from '../question/question-text.js';
import type { TextEditor } from '../edit-json/editor.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import type { AlertOptions } from '../device/alert.js';
import type { HeldTerminal } from '../device/ports.js';
import type { TerminalDevice } from '../device/device.js';
import type { TerminalTheme } from '../device/theme.js';
import { alertPerson, restoreTitle } from '../device/alert.js';
import type { Alike } from './alike.js';
import { askAlike, alike } from './alike.js';
import type { AskOptions, KeepRule } from './ask.js';
import { askInterrupt } from './ask.js';
import type { Recorded } from './recorded-line.js';
import { agrees, recordedLine } from './recorded-line.js';
import { askChoice } from '../prompt/choice-prompt.js';
import { oneLineOf } from '../question/question-plain.js';

export interface TerminalChannelOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  /** The user at the terminal. */
  readonly actor: Actor;
  /** The user's editor for inputs. Default: forms only. */
  readonly editor?: TextEditor;
  /** Whether "always" is offered. Default: for every confirmation of a tool. */
  readonly offersAlways?: (interrupt: Interrupt) => boolean;
  /** Saves an approval of later calls as a user rule. Default: session only. */
  readonly keep?: KeepRule;
  /**
   * Returns to the prompt while questions stay open, and resolves with the user's next action. Default:
   * leaving a question leaves everything.
   */
  readonly aside?: (open: number, how: 'Esc' | 'Ctrl-C', signal: AbortSignal) => Promise<AsideMove>;
  /** Rings and sets the title after long work. Default: never. */
  readonly alert?: AlertOptions;
}

/** The move of a person with questions that were put aside. */
export type AsideMove = 'answer' | 'cancel' | 'leave';

/** The person turned away from a question, and stays. */
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
  /** Says which of an edited input is secret. */
  readonly input?: JsonObject | undefined;
}

/** The question that a person wants to answer next. */
type Picked =
  { readonly type: 'one'; readonly interrupt: Interrupt } | { readonly type: 'alike'; readonly group: Alike };

/** Shows the open interrupts as a numbered list, to be answered in any order. */
async function pickInterrupt(prompter: Prompter, open: readonly Interrupt[]): Promise<Asked<Picked>> {
  const { terminal, theme } = prompter;
  const groups = alike(open);
  const title = theme.title(`${open.length} questions are waiting`);
  const asked = await askChoice(
    saying(prompter, () => [title]),
    {
      message: 'Which one first?',
      rows: [
        ...open.map((interrupt) => ({ label: oneLineOf(interrupt, Math.max(30, terminal.columns - 8)) })),
        ...groups.map((group) => ({ label: `same answer for ${group.label} (shows each first)` })),
      ],
      multiple: false,
    },
  );
  const [index] = asked.type === 'back' ? [] : asked.value;
  if (index === undefined) return BACK;
  const interrupt = open[index];
  if (interrupt !== undefined) return answered({ type: 'one', interrupt });
  const group = groups[index - open.length];
  return group === undefined ? BACK : answered({ type: 'alike', group });
}

/** Asks a user at a terminal, and leaves interrupts open when the user leaves. */
export class TerminalChannel implements HumanChannel {
  readonly interactive = true;
  readonly #options: TerminalChannelOptions;
  /** Answers given to a group, by id and digest, until they are used (T2). */
  readonly #given = new Map<string, Recorded>();

  constructor(options: TerminalChannelOptions) {
    this.#options = options;
  }

  /** Forgets unused group answers: the user stopped the run, and is asked again. */
  forget(): void {
    this.#given.clear();
  }

  async ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult> {
    invariant(open.length > 0, 'no questions to ask');
    const { device, aside } = this.#options;
    for (;;) {
      const leaving = new AbortController();
      const either = AbortSignal.any([signal, leaving.signal]);
      try {
        return await device.use((held) => this.#askHeld(held, open, state, leaving), either);
      } catch (error) {
        const gone = [signal, leaving.signal, device.hungUp].find((one) => one.aborted);
        if (gone === undefined) throw error;
        const reason: unknown = gone.reason;
        if (aside === undefined || !(reason instanceof PutAside))
          return { type: 'left-open', why: messageOf(reason) };
        const move = await aside(open.length, reason.how, signal).catch(() => 'withdrawn' as const);
        const moved = this.#moved(move, open, signal);
        if (moved !== undefined) return moved;
      }
    }
  }

  /** Returns the effect of an action after postponing; `undefined` if the questions are asked again. */
  #moved(
    move: AsideMove | 'withdrawn',
    open: readonly Interrupt[],
    signal: AbortSignal,
  ): AskResult | undefined {
    switch (move) {
      case 'answer':
        return undefined;
      case 'cancel': {
        const found = open.find(({ allowed }) => allowed.includes('cancel'));
        if (found === undefined) return undefined;
        const { id, digest } = found;
        const answer = { id, digest, resolution: { action: 'cancel' }, by: this.#options.actor } as const;
        return { type: 'answered', answer };
      }
      case 'leave':
        return { type: 'left-open', why: 'left with a question open' };
      case 'withdrawn':
        return { type: 'left-open', why: signal.aborted ? messageOf(signal.reason) : 'the terminal is gone' };
    }
  }

  async #askHeld(
    terminal: HeldTerminal,
    open: readonly Interrupt[],
    state: RunState,
    leaving: AbortController,
  ): Promise<AskResult> {
    const { clock, theme } = this.#options;
    const leave = (why: string) => {
      const isAside = why !== 'Ctrl-D' && this.#options.aside !== undefined;
      const how = why === 'Ctrl-C' ? 'Ctrl-C' : 'Esc';
      leaving.abort(isAside ? new PutAside(how) : new HitlError('ABORTED', `left with ${why}`));
    };
    const isTitleSet = alertPerson(terminal, this.#options.alert);
    try {
      const settled =
        this.#takeGiven(open) ?? (await this.#settle({ terminal, clock, theme, leave }, open, state));
      return this.#result(terminal, settled);
    } catch (error) {
      if (terminal.signal.aborted) {
        const reason: unknown = terminal.signal.reason;
        const why = reason instanceof PutAside ? waitingLine(open) : withdrawnWords(reason);
        terminal.write(laidOut(`${theme.dim(why)}\n`));
      }
      throw error;
    } finally {
      if (isTitleSet) restoreTitle(terminal);
    }
  }

  #takeGiven(open: readonly Interrupt[]): Settled | undefined {
    for (const interrupt of open) {
      const decision = this.#given.get(givenKey(interrupt));
      if (decision === undefined) continue;
      this.#given.delete(givenKey(interrupt));
      return { interrupt, decision };
    }
    return undefined;
  }

  async #settle(prompter: Prompter, open: readonly Interrupt[], state: RunState): Promise<Settled> {
    for (;;) {
      const picked = await pick(prompter, open);
      if (picked.type === 'answered') {
        const asked = await this.#askPicked(prompter, picked.value, { open, state });
        if (asked.type === 'answered') return asked.value;
        if (open.length > 1) continue;
      }
      if (this.#options.aside !== undefined) prompter.leave('Esc');
      prompter.terminal.signal.throwIfAborted();
    }
  }

  async #askPicked(
    prompter: Prompter,
    picked: Picked,
    { open, state }: { readonly open: readonly Interrupt[]; readonly state: RunState },
  ): Promise<Asked<Settled>> {
    const { editor, offersAlways = () => true, keep } = this.#options;
    if (picked.type === 'one') {
      const leavesWithEsc = open.length > 1 || this.#options.aside !== undefined;
      const options: AskOptions = { open, offersAlways, leavesWithEsc, ...present({ editor, keep }) };
      const asked = await askInterrupt(prompter, picked.interrupt, state, options);
      if (asked.type === 'back') return BACK;
      const { interrupt } = picked;
      const input = toolOf(interrupt, state)?.inputSchema;
      return answered({ interrupt, decision: asked.value, input });
    }
    const asked = await askAlike(prompter, picked.group, state);
    const [first, ...others] = picked.group.interrupts;
    if (asked.type === 'back' || first === undefined) return BACK;
    const decision = { resolution: asked.value };
    for (const other of others) this.#given.set(givenKey(other), decision);
    return answered({ interrupt: first, decision });
  }

  #result(terminal: HeldTerminal, { interrupt, decision, input }: Settled): AskResult {
    const { theme, actor } = this.#options;
    const paint = agrees(decision) ? theme.success : theme.dim;
    const sign = agrees(decision) ? '✓' : '✗';
    const shown = shownResolution(decision.resolution, { interrupt, input });
    const line = `${sign} ${recordedLine(interrupt, { ...decision, resolution: shown })}`;
    const rows = wrapWords(line, terminal.columns - 1, '  ').map((row) => paint(row.trimEnd()));
    terminal.write(laidOut(`${rows.join('\n')}\n`));
    const { resolution, always } = decision;
    const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by: actor };
    return { type: 'answered', answer, ...(always?.kept === false && { always: always.offer.size }) };
  }
}

/** `⏸ waiting  transfer_money` */
function waitingLine(open: readonly Interrupt[]): string {
  const [first] = open;
  const subject = first === undefined ? '' : titleOf(first).text;
  return `⏸ waiting  ${subject}${open.length > 1 ? `, and ${open.length - 1} more` : ''}`;
}

function givenKey({ id, digest }: Interrupt): string {
  return `${id} ${digest}`;
}

async function pick(prompter: Prompter, open: readonly Interrupt[]): Promise<Asked<Picked>> {
  const [first, ...others] = open;
  if (first !== undefined && others.length === 0) return answered({ type: 'one', interrupt: first });
  return pickInterrupt(prompter, open);
}

/** Says why a question is gone from the screen. */
function withdrawnWords(reason: unknown): string {
  const why = escapeText(messageOf(reason));
  return isHitlError(reason) && reason.code === 'ALREADY_ANSWERED' ? why : `not answered: ${why}`;
}
