import type { Actor, AskResult, Clock, HumanChannel, Interrupt, RunState } from '../core/index.js';
import { HitlError, invariant, messageOf } from '../core/index.js';
import { askInterrupt } from './terminal-ask.js';
import type { HeldTerminal, TerminalDevice } from './terminal-ports.js';
import type { TerminalTheme } from './terminal-theme.js';

export interface TerminalChannelOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  /** Who sits there. */
  readonly actor: Actor;
}

class TerminalChannel implements HumanChannel {
  private readonly options: TerminalChannelOptions;

  constructor(options: TerminalChannelOptions) {
    this.options = options;
  }

  async ask(open: readonly Interrupt[], state: RunState, signal: AbortSignal): Promise<AskResult> {
    invariant(open.length > 0, 'nothing is open');
    const leaving = new AbortController();
    const either = AbortSignal.any([signal, leaving.signal]);
    try {
      return await this.options.device.use((held) => this.askHeld(held, open, state, leaving), {}, either);
    } catch (error) {
      if (either.aborted) return { type: 'left-open', why: messageOf(either.reason) };
      if (this.options.device.hungUp.aborted)
        return { type: 'left-open', why: messageOf(this.options.device.hungUp.reason) };
      throw error;
    }
  }

  private async askHeld(
    terminal: HeldTerminal,
    open: readonly Interrupt[],
    state: RunState,
    leaving: AbortController,
  ): Promise<AskResult> {
    const { clock, theme, actor } = this.options;
    const leave = (why: string) => {
      leaving.abort(new HitlError('ABORTED', why));
    };
    const prompter = { terminal, clock, theme, leave };
    for (;;) {
      const interrupt = open[0];
      invariant(interrupt !== undefined, 'nothing is open');
      const asked = await askInterrupt(prompter, interrupt, state, { open });
      if (asked.type === 'back') continue;
      const { resolution, always } = asked.value;
      const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by: actor };
      return { type: 'answered', answer, ...(always === true && { always }) };
    }
  }
}

/** Asks a person at a terminal about open interrupts, and leaves them open where the person goes away. */
export function createTerminalChannel(options: TerminalChannelOptions): HumanChannel {
  return new TerminalChannel(options);
}
