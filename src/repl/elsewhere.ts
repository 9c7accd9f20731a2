import type { Answer, Interrupt, InterruptId, PostedAnswers, RunState } from '../core/index.js';
import { HitlError, openInterrupt } from '../core/index.js';

/** Asks the local user whether to use a remote answer. */
export type Takes = (answer: Answer, interrupt: Interrupt, signal: AbortSignal) => Promise<boolean>;

const DECLINED = 'the user at the session’s terminal did not accept it';

/**
 * Remote answers. If a user is present, none is used automatically: the user accepts it with a key, or
 * declines, and then no other for that question is used either. Any process of theirs could have sent it.
 */
export class Elsewhere {
  readonly #posted: PostedAnswers | undefined;
  readonly #takes: Takes | undefined;
  readonly #declined = new Set<InterruptId>();

  /** @param takes absent without a user: every answer is used. */
  constructor(posted: PostedAnswers | undefined, takes: Takes | undefined) {
    this.#posted = posted;
    this.#takes = takes;
  }

  /** The next answer from elsewhere to a question that still accepts one. */
  async next(signal: AbortSignal): Promise<Answer> {
    if (this.#posted === undefined) throw new HitlError('INTERNAL', 'remote answers are not available');
    for (;;) {
      const answer = await this.#posted.next(signal);
      if (!this.#declined.has(answer.id)) return answer;
      await this.#posted.refuse(answer, DECLINED);
    }
  }

  /** Explains why an answer is not used; `undefined` if it is, `stopped` if the user did not decide. */
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
