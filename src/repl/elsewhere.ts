import type { Answer, Interrupt, InterruptId, PostedAnswers, RunState } from '../core/index.js';
import { HitlError, openInterrupt } from '../core/index.js';

/** Asks the person here whether an answer from elsewhere counts. */
export type Takes = (answer: Answer, interrupt: Interrupt, signal: AbortSignal) => Promise<boolean>;

const DECLINED = 'the person at the terminal of the session did not take it';

/**
 * Answers from elsewhere. If a person sits here, no such answer counts by itself: the person takes it with a key, or does
 * not, and then no other one to that question either. Any process of theirs could have given it.
 */
export class Elsewhere {
  readonly #posted: PostedAnswers | undefined;
  readonly #takes: Takes | undefined;
  readonly #declined = new Set<InterruptId>();

  /** @param takes absent where nobody sits: everything counts. */
  constructor(posted: PostedAnswers | undefined, takes: Takes | undefined) {
    this.#posted = posted;
    this.#takes = takes;
  }

  /** The next answer to a question for which answers from elsewhere are still taken. */
  async next(signal: AbortSignal): Promise<Answer> {
    if (this.#posted === undefined) throw new HitlError('INTERNAL', 'nothing comes from elsewhere');
    for (;;) {
      const answer = await this.#posted.next(signal);
      if (!this.#declined.has(answer.id)) return answer;
      await this.#posted.refuse(answer, DECLINED);
    }
  }

  /** Says why an answer does not count; `undefined` where it does. */
  async whyNotTaken(answer: Answer, state: RunState, signal: AbortSignal): Promise<string | undefined> {
    const interrupt = openInterrupt(state, answer.id);
    if (this.#takes === undefined || interrupt === undefined) return undefined;
    if (this.#declined.has(answer.id)) return DECLINED;
    if (await this.#isTaken(this.#takes, { answer, interrupt }, signal)) return undefined;
    this.#declined.add(answer.id);
    return DECLINED;
  }

  /** True where the person takes the answer. Somebody who is stopped while they are asked has taken nothing. */
  async #isTaken(
    takes: Takes,
    { answer, interrupt }: { readonly answer: Answer; readonly interrupt: Interrupt },
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      return await takes(answer, interrupt, signal);
    } catch (thrown) {
      if (signal.aborted) return false;
      throw thrown;
    }
  }
}
