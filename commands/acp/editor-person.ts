// Invariants:
// E1 Only what the person chose in a dialog or form of this question decides; whatever else ends one leaves it open.
// E2 A question that was answered elsewhere is withdrawn, and what is chosen after that decides nothing.
// E3 A dialog is opened a few times for one question, and no more: an editor that answers wrongly cannot go on for ever.
import type { Actor, AskResult, HumanChannel, Interrupt, RunState } from '../../src/core/index.js';
import {
  assertNever,
  escapeText,
  isHitlError,
  isQuestion,
  messageOf,
  present,
} from '../../src/core/index.js';
import { oneLineOf, shownKey } from '../../src/human/index.js';
import type { DialogPlace, Read } from './dialog.js';
import { dialogOf, formOf, readForm, readOutcome } from './dialog.js';
import type { EditorLink } from './editor-link.js';

export interface EditorChannelOptions {
  readonly link: Pick<EditorLink, 'hasForms' | 'ask' | 'fill' | 'say'>;
  /** Returns the actor for an answer to a question: the user at the editor. */
  readonly actor: (interrupt: Interrupt) => Actor;
  /** Returns the context in which questions are shown. */
  readonly place: (state: RunState) => DialogPlace;
}

/** Maximum number of dialogs to open for a question (E3). */
const MOST_DIALOGS = 3;

/**
 * Asks the user in an editor. A question that the editor cannot show waits until it is answered elsewhere.
 */
export class EditorChannel implements HumanChannel {
  readonly interactive = true;
  readonly #options: EditorChannelOptions;
  /** Number of dialogs opened so far for each question. */
  readonly #asked = new Map<string, number>();

  constructor(options: EditorChannelOptions) {
    this.#options = options;
  }

  async ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult> {
    const keys = new Set(open.map(shownKey));
    for (const key of this.#asked.keys()) if (!keys.has(key)) this.#asked.delete(key);
    const place = this.#options.place(state);
    for (;;) {
      const opening = open.flatMap((one) => this.#openings(one, place)).at(0);
      if (opening === undefined) return this.#elsewhere(open, place, signal);
      const result = await this.#opened(opening, signal);
      if (result !== undefined) return result;
    }
  }

  /**
   * Returns the form or dialog for a question. Empty if the editor cannot show the question, or if it has
   * been shown too often (E3).
   */
  #openings(interrupt: Interrupt, place: DialogPlace): readonly Opening[] {
    const { link } = this.#options;
    if (!isQuestion(interrupt) || (this.#asked.get(shownKey(interrupt)) ?? 0) >= MOST_DIALOGS) return [];
    const dialog = dialogOf(interrupt, place);
    const { toolCall, offers } = dialog;
    const isAnswered = offers.some(({ option: { kind } }) => kind !== 'reject_once');
    const form = link.hasForms && !isAnswered ? formOf(interrupt, place) : undefined;
    if (form !== undefined)
      return [
        {
          interrupt,
          open: async (until) => readForm(form, interrupt, await link.fill(form, toolCall.toolCallId, until)),
        },
      ];
    if (offers.length === 0) return [];
    const options = offers.map(({ option }) => option);
    return [
      { interrupt, open: async (until) => readOutcome(dialog, await link.ask(toolCall, options, until)) },
    ];
  }

  /**
   * Opens a dialog or form. Returns `undefined` if the response was invalid. In that case, the next question
   * is asked, or the session waits for an answer from elsewhere.
   */
  async #opened({ interrupt, open }: Opening, signal: AbortSignal): Promise<AskResult | undefined> {
    const { link, actor } = this.#options;
    const key = shownKey(interrupt);
    this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
    const read = open(signal).catch((thrown: unknown): Read => ({ type: 'refused', why: messageOf(thrown) }));
    const first = await Promise.race([read, aborted(signal)]);
    if (signal.aborted || first === 'aborted') {
      const why = withdrawnWords(signal.reason);
      if (why !== undefined) link.say(why);
      void read.then((late) => {
        if (late.type === 'answered') link.say(`Ignored: your answer to ${interrupt.id} came too late.`); // E2
      });
      return { type: 'left-open', why: messageOf(signal.reason) };
    }
    switch (first.type) {
      case 'closed':
        return { type: 'left-open', why: 'the editor closed the question' };
      case 'refused':
        link.say(`Not answered: ${escapeText(first.why)}.`);
        this.#asked.set(key, MOST_DIALOGS);
        return undefined;
      case 'answered': {
        const { id, digest } = interrupt;
        const { resolution, always } = first;
        const answer = { id, digest, resolution, by: actor(interrupt) };
        return { type: 'answered', answer, ...present({ always }) };
      }
      default:
        return assertNever(first);
    }
  }

  /** Waits until a question is answered elsewhere, or the user stops the turn. */
  async #elsewhere(
    open: readonly Interrupt[],
    { session }: DialogPlace,
    signal: AbortSignal,
  ): Promise<AskResult> {
    const { link } = this.#options;
    for (const interrupt of open.filter(isQuestion))
      link.say(`Waiting for an answer to “${oneLineOf(interrupt)}”: \`hitl show ${session}\` in a terminal.`);
    await aborted(signal);
    const why = withdrawnWords(signal.reason);
    if (why !== undefined) link.say(why);
    return { type: 'left-open', why: messageOf(signal.reason) };
  }
}

/** A question, and how to open it in the editor. */
interface Opening {
  readonly interrupt: Interrupt;
  readonly open: (until: AbortSignal) => Promise<Read>;
}

function aborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve('aborted');
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/**
 * Returns a message if the question was answered elsewhere first, or `undefined` if the user stopped the
 * turn.
 */
function withdrawnWords(reason: unknown): string | undefined {
  const isOfOthers = isHitlError(reason) && reason.code === 'ALREADY_ANSWERED';
  return isOfOthers ? `${capital(escapeText(reason.message))}.` : undefined;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
