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

/** Options for `personAtTerminal`: streams, user, theme and clock. */
export interface TerminalOptions {
  /** Stream to read keys from. Default: `process.stdin`. */
  readonly input?: NodeJS.ReadStream;
  /** Stream to write questions to. Default: `process.stderr`, so that stdout can be used for data. */
  readonly output?: NodeJS.WriteStream;
  /** The person who answers. Default: the current system user. */
  readonly by?: Actor;
  /** Default: no colors. */
  readonly theme?: TerminalTheme;
  /** Default: this machine's. */
  readonly clock?: Clock;
}

/** A person at a terminal. Pass it as a channel, or call `answersTo` with the interrupts from `generate`. */
export interface PersonAtTerminal extends HumanChannel, Disposable {
  /**
   * Asks about open interrupts, in an order that the person chooses, until all are answered. Enter, pasted
   * text and keys that are pressed too early never approve anything (G30).
   * @returns the answers to pass with `resume`. If the person leaves with Ctrl-C or Ctrl-D, some are missing.
   */
  answersTo(interrupts: readonly Interrupt[], signal?: AbortSignal): Promise<readonly Answer[]>;
  /** Restores the terminal. This also happens automatically when the process ends. */
  close(): void;
}

/**
 * Uses the terminal of this process to ask a person. Release it with `close` or `using`.
 * @throws HitlError USAGE if there is no terminal. Then ask in another way, for example with script lines.
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
