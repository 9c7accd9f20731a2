// Which bytes approve, and when, on a clock of our own.
import { describe, expect, test } from 'vitest';

import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { bankState, openInterrupt, testTerminal } from '../human/terminal-harness.js';
import { UNTYPED } from './untyped.js';

const APPROVED = expect.objectContaining({
  answer: expect.objectContaining({ resolution: { action: 'restart' } }),
});

/** A question that has just been drawn, and what came of it so far. */
async function drawn() {
  const terminal = testTerminal();
  const { device, clock } = terminal;
  const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
  const channel = new TerminalChannel({ device, clock, theme: plainTheme, actor });
  const stop = new AbortController();
  let result: unknown = 'open';
  const asked = channel.ask([openInterrupt()], bankState(), stop.signal).then(
    (answer) => {
      result = answer;
    },
    () => undefined,
  );
  await terminal.settle();
  return {
    terminal,
    result: () => result,
    async stop() {
      stop.abort(new Error('over'));
      await terminal.settle();
      await asked;
    },
  };
}

describe('G30: a key', () => {
  test.for([0, 50, 100, 200, 250, 299])('%i ms after drawing approves nothing', async (ms) => {
    const { terminal, result, stop } = await drawn();
    await terminal.clock.advance(ms);
    await terminal.send('y');
    await terminal.clock.advance(5000);
    await terminal.settle();
    expect(result()).toBe('open');
    await stop();
  });

  test.for([300, 400, 1000])('%i ms after drawing approves', async (ms) => {
    const { terminal, result } = await drawn();
    await terminal.clock.advance(ms);
    await terminal.send('y');
    await terminal.clock.advance(100);
    await terminal.settle();
    expect(result()).toEqual(APPROVED);
  });

  test.for(['y', ' ', '\u001b[B', '\r'])('that %j follows at once approves nothing', async (next) => {
    const { terminal, result, stop } = await drawn();
    await terminal.clock.advance(1000);
    await terminal.send('y');
    await terminal.clock.advance(10);
    await terminal.send(next);
    await terminal.clock.advance(5000);
    await terminal.settle();
    expect(result()).toBe('open');
    await stop();
  });
});

describe('G30: what a person did not type', () => {
  test.for(Object.entries(UNTYPED))('%s approves nothing, at any time', async ([, bytes]) => {
    for (const ms of [0, 200, 400, 2000]) {
      const { terminal, result, stop } = await drawn();
      await terminal.clock.advance(ms);
      await terminal.send(bytes);
      await terminal.clock.advance(5000);
      await terminal.settle();
      expect({ ms, result: result() }).toEqual({ ms, result: 'open' });
      await stop();
    }
  });
});
