import type { InboxControl, InboxMessage, Renderer, RunInbox } from '../core/index.js';
import { actorName, count, HitlError, isHitlError, messageWords, plainLine } from '../core/index.js';

/** Maximum width of one message, in columns. */
const MAX_COLUMNS = 100;
/** Maximum number of messages listed. */
const MOST_NAMED = 3;

/** Hint for a withdrawn question. The new message is shown before the question is asked again. */
const AGAIN = { hint: 'the question is shown again' };
/**
 * Messages that are waiting for a run while a question is open. They are shown with the question but never
 * answer it.
 */
export class WaitingMail {
  readonly #inbox: RunInbox;
  readonly #renderer: Renderer;
  #told = '';
  #last = 0;
  #isUnreadable = false;
  /** A requested pause. It is reported once and takes effect after the answer. */
  #pause: InboxControl | undefined;

  constructor(inbox: RunInbox, renderer: Renderer) {
    this.#inbox = inbox;
    this.#renderer = renderer;
  }

  /** Reports newly arrived messages. */
  async tell(): Promise<void> {
    const waiting = await this.#look();
    this.#last = Math.max(this.#last, ...waiting.map(({ seq }) => seq));
    const ids = waiting.map(({ id }) => id).join();
    const isNews = ids !== this.#told;
    this.#told = ids;
    if (!isNews || waiting.length === 0) return;
    const named = waiting
      .slice(0, MOST_NAMED)
      .map((one) => plainLine(`${actorName(one.from)}: ${messageWords(one)}`, MAX_COLUMNS));
    const more = waiting.length > MOST_NAMED ? ', …' : '';
    const what = count(waiting.length, 'message waits', 'messages wait');
    this.#renderer.notice(`${what}: ${named.join('; ')}${more}`);
  }

  /**
   * Returns the waiting messages. If the inbox cannot be read, the problem is reported but does not block the
   * question.
   */
  async #look(): Promise<readonly InboxMessage[]> {
    try {
      return await this.#inbox.waiting();
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      if (!this.#isUnreadable) this.#renderer.notice(`cannot read queued messages: ${thrown.message}`);
      this.#isUnreadable = true;
      return [];
    }
  }

  /** Waits for a new message or a pause request. Returns the reason for withdrawing the question. */
  async news(signal: AbortSignal): Promise<HitlError> {
    const message = this.#inbox.arrived(this.#last, signal).then(() => undefined);
    const pause = this.#pause === undefined ? this.#inbox.control(['pause'], signal) : message;
    const control = await Promise.race([message, pause.catch(() => message)]);
    if (control === undefined) return new HitlError('ABORTED', 'new message', AGAIN);
    this.#pause = control;
    const { from, reason } = control;
    const why = reason === undefined ? '' : `: ${plainLine(reason, MAX_COLUMNS)}`;
    this.#renderer.notice(`pause requested by ${actorName(from)}${why} (takes effect after your answer)`);
    return new HitlError('ABORTED', 'pause requested', AGAIN);
  }
}
