import type { Answer, AskResult, HumanChannel, Interrupt, RunState } from '../../core/index.js';

/** The answers that a caller has, each given once, when its question is asked; then whoever else is there is asked. */
export class GivenAnswers implements HumanChannel {
  readonly interactive: boolean;
  readonly #person: HumanChannel | undefined;
  #left: readonly Answer[];

  constructor(answers: readonly Answer[], person: HumanChannel | undefined) {
    this.#left = answers;
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
    if (this.#person !== undefined) return this.#person.ask(open, state, signal);
    return { type: 'left-open', why: 'nobody is here to be asked' };
  }
}
