// `hitl/terminal`: the program's own question, for programs that hold a session or a history themselves.
import process from 'node:process';

import type { Actor, Answer, Clock, HumanChannel, Interrupt } from '../core/index.js';
import { emptyState, HitlError } from '../core/index.js';
import type { QuestionView, QuestionViewOptions, TerminalTheme } from '../human/index.js';
import { questionView, renderQuestionPlain } from '../human/index.js';
import { TerminalChannel, TerminalDevice, plainTheme, processSignals } from '../human/seated.js';
import { localUser } from './local-user.js';
import { systemClock } from './system-clock.js';

export type { QuestionView, QuestionViewOptions, TerminalTheme };
export { plainTheme, questionView, renderQuestionPlain };

/** The streams and style of `personAtTerminal`. */
export interface TerminalOptions {
  /** Source of keys. Default: `process.stdin`. */
  readonly input?: NodeJS.ReadStream;
  /** Output for questions. Default: `process.stderr`, so that stdout stays data. */
  readonly output?: NodeJS.WriteStream;
  /** The person. Default: the system's user. */
  readonly by?: Actor;
  /** Default: no colors. */
  readonly theme?: TerminalTheme;
  /** Default: this machine's. */
  readonly clock?: Clock;
}

/** A person at a terminal: a channel for `converse`, and `answersTo` for `generate`. */
export interface PersonAtTerminal extends HumanChannel, Disposable {
  /**
   * Asks about open interrupts until all are answered, in the person's order. Enter, pastes and keys pressed too
   * early approve nothing (G30).
   * @returns the answers, for `resume`; fewer if the person left with Ctrl-C or Ctrl-D.
   */
  answersTo(interrupts: readonly Interrupt[], signal?: AbortSignal): Promise<readonly Answer[]>;
  /** Restores the terminal. Also runs when the process ends. */
  close(): void;
}

/**
 * Takes the terminal of this process to ask a person. Release it with `close` or `using`.
 * @throws HitlError USAGE without a terminal: ask in another way, for example with script lines.
 */
export function personAtTerminal(options: TerminalOptions = {}): PersonAtTerminal {
  const { input = process.stdin, output = process.stderr, clock = systemClock, theme = plainTheme } = options;
  if (!input.isTTY || !output.isTTY) {
    throw new HitlError('USAGE', 'no terminal available', {
      hint: 'post the answer instead: `answers.restart(…)`, or `hitl answer` for a session',
    });
  }
  const signals = processSignals(process);
  const device = new TerminalDevice({ input, output, clock, signals });
  const actor = options.by ?? localUser('terminal');
  return new Person(device, new TerminalChannel({ device, clock, theme, actor }));
}

class Person implements PersonAtTerminal {
  readonly interactive = true;
  readonly #device: TerminalDevice;
  readonly #channel: HumanChannel;

  constructor(device: TerminalDevice, channel: HumanChannel) {
    this.#device = device;
    this.#channel = channel;
    process.once('exit', this.close);
  }

  ask(...asked: Parameters<HumanChannel['ask']>): ReturnType<HumanChannel['ask']> {
    return this.#channel.ask(...asked);
  }

  async answersTo(
    interrupts: readonly Interrupt[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (let open = interrupts; open.length > 0;) {
      const asked = await this.#channel.ask(open, emptyState(), signal);
      if (asked.type === 'left-open') return answers;
      answers.push(asked.answer);
      open = open.filter(({ id }) => id !== asked.answer.id);
    }
    return answers;
  }

  readonly close = (): void => {
    process.removeListener('exit', this.close);
    this.#device.restore();
  };

  [Symbol.dispose](): void {
    this.close();
  }
}
