import type { Answer, Interrupt, InterruptId, PostedAnswers, RunState } from '../core/index.js';
import { HitlError, openInterrupt } from '../core/index.js';

/** Asks the local user whether to use a remote answer. */
export type Takes = (answer: Answer, interrupt: Interrupt, signal: AbortSignal) => Promise<boolean>;

const DECLINED = 'the user at the session’s terminal did not accept it';

/**
 * Remote answers. If a user is present, an answer is used only after the user accepts it with a key, because
 * any of the user's processes could have sent it. If the user declines an answer, later answers to the same
 * question are declined too.
 */
export class Elsewhere {
  readonly #posted: PostedAnswers | undefined;
  readonly #takes: Takes | undefined;
  readonly #declined = new Set<InterruptId>();

  /** @param takes absent if no user is present; every answer is then used */
  constructor(posted: PostedAnswers | undefined, takes: Takes | undefined) {
    this.#posted = posted;
    this.#takes = takes;
  }

  /** Returns the next remote answer to a question that still accepts one. */
  async next(signal: AbortSignal): Promise<Answer> {
    if (this.#posted === undefined) throw new HitlError('INTERNAL', 'remote answers are not available');
    for (;;) {
      const answer = await this.#posted.next(signal);
      if (!this.#declined.has(answer.id)) return answer;
      await this.#posted.refuse(answer, DECLINED);
    }
  }

  /**
   * Decides whether to use an answer. Returns `undefined` if it is used, `stopped` if the user did not
   * decide, and otherwise the reason that it is declined.
   */
  async whyNotTaken(
    answer: Answer,
    state: RunState,
    signal: AbortSignal,
  ): Promise<{ readonly declined: string } | 'stopped' | undefined> {
    const interrupt = openInterrupt(state, answer.id);
    if (this.#takes === undefined || interrupt === undefined) return undefined;
    if (this.#declined.has(answer.id)) return { declined: DECLINED };
    const isTaken = await this.#takes(answer, interrupt, signal).catch((thrown: unknown) => {
      if (signal.aborted) return false;
      throw thrown;
    });
    if (isTaken) return undefined;
    if (signal.aborted) return 'stopped'; // a lost terminal decides nothing (G26)
    this.#declined.add(answer.id);
    return { declined: DECLINED };
  }
}
