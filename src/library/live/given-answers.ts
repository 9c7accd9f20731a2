import type { Answer, AskResult, HumanChannel, Interrupt, RunState } from '../../core/index.js';

/**
 * The answers that a caller has, each given once, when its question is asked; then what a person allowed for the rest of
 * the session, and then whoever else is there is asked.
 */
export class GivenAnswers implements HumanChannel {
  readonly interactive: boolean;
  readonly #person: HumanChannel | undefined;
  readonly #allowed: (() => HumanChannel) | undefined;
  #left: readonly Answer[];

  /** @param allowed gives what answers by the rules of the session: most sessions have none */
  constructor(answers: readonly Answer[], person: HumanChannel | undefined, allowed?: () => HumanChannel) {
    this.#left = answers;
    this.#allowed = allowed;
    this.#person = person;
    this.interactive = person?.interactive === true && answers.length === 0;
  }

  /** The answers whose questions were not asked: somebody else was faster. */
  get left(): readonly Answer[] {
    return this.#left;
  }

  async ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult> {
    const answer = this.#left.find(({ id }) => open.some((interrupt) => interrupt.id === id));
    if (answer !== undefined) {
      this.#left = this.#left.filter((one) => one !== answer);
      return { type: 'answered', answer };
    }
    const rules = state.rules.length === 0 ? undefined : this.#allowed?.();
    const ruled = await rules?.ask(open, state, signal);
    if (ruled?.type === 'answered') return ruled;
    if (this.#person !== undefined) return this.#person.ask(open, state, signal);
    return { type: 'left-open', why: 'nobody is here to be asked' };
  }
}
