import type { AskResult, HumanChannel } from '../core/index.js';

/**
 * Asks one channel after another until one answers, for example rules first, then a person. Interrupts
 * without an answer stay open.
 */
export function firstOf(...channels: readonly HumanChannel[]): HumanChannel {
  return {
    interactive: channels.some((channel) => channel.interactive === true),
    async ask(open, state, signal, help): Promise<AskResult> {
      let result: AskResult = { type: 'left-open', why: 'no one was asked' };
      for (const channel of channels) {
        signal.throwIfAborted();
        result = await channel.ask(open, state, signal, help);
        if (result.type === 'answered') return result;
      }
      return result;
    },
  };
}
