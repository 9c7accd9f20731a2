import type { InboxMessage, Renderer, RunInbox } from '../core/index.js';
import { actorName, count, HitlError, isHitlError, messageWords, plainLine } from '../core/index.js';

/** The width at which one message is cut, in columns. */
const MAX_COLUMNS = 100;
/** The number of messages that are named. */
const MOST_NAMED = 3;

/** Messages that arrive while a question is asked: shown with the question, never answering it. */
export class WaitingMail {
  readonly #inbox: RunInbox;
  readonly #renderer: Renderer;
  #told = '';
  #last = 0;
  #isUnreadable = false;

  constructor(inbox: RunInbox, renderer: Renderer) {
    this.#inbox = inbox;
    this.#renderer = renderer;
  }

  /** Reports new waiting messages. */
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

  /** An unreadable inbox is reported, and does not prevent the question. */
  async #look(): Promise<readonly InboxMessage[]> {
    try {
      return await this.#inbox.waiting();
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      if (!this.#isUnreadable) this.#renderer.notice(`what was sent cannot be read: ${thrown.message}`);
      this.#isUnreadable = true;
      return [];
    }
  }

  /** Waits for a new message; returns the reason for withdrawing the question. */
  async news(signal: AbortSignal): Promise<HitlError> {
    await this.#inbox.arrived(this.#last, signal);
    return new HitlError('ABORTED', 'New message. The question is shown again below.');
  }
}
