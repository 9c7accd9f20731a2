// A program for a real terminal: asks about the bank's calls, then prints what was answered as one line of JSON.
import { setTimeout as sleepFor } from 'node:timers/promises';

import type { Clock, Interrupt } from '../../src/core/index.js';
import {
  TerminalChannel,
  TerminalDevice,
  Composer,
  plainTheme,
  processSignals,
} from '../../src/human/seated.js';
import { bankState, openInterrupt } from '../human/terminal-harness.js';

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
};
const [mode = 'ask', argument = ''] = process.argv.slice(2);
const stop = new AbortController();
const device = new TerminalDevice({
  input: process.stdin,
  output: process.stderr,
  clock,
  signals: processSignals(process),
});

const statuses = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;
for (const [name, status] of statuses) {
  process.on(name, () => {
    stop.abort(new Error(`stopped by ${name}`));
    process.exitCode = status;
  });
}

function report(what: unknown): void {
  process.stdout.write(`RESULT ${JSON.stringify(what)}\n`);
}

async function ask(open: readonly Interrupt[]): Promise<void> {
  const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
  const channel = new TerminalChannel({ device, clock, theme: plainTheme, actor });
  if (mode === 'abort') {
    setTimeout(() => {
      stop.abort(new Error('answered elsewhere by bob'));
    }, Number(argument));
  }
  let left = open;
  while (left.length > 0) {
    const result = await channel.ask(left, bankState(), stop.signal);
    if (result.type === 'left-open') {
      report(result.why);
      return;
    }
    const { id, resolution } = result.answer;
    report({ id, ...resolution });
    left = left.filter((interrupt) => interrupt.id !== id);
  }
}

async function converse(): Promise<void> {
  const turns = new Composer({ device, clock, theme: plainTheme });
  for (;;) {
    const turn = await turns.next(bankState(), stop.signal);
    report(turn);
    if (turn.type !== 'end') continue;
    device.restore();
    return;
  }
}

/** More than a screen has. */
const LONG = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');

function asked(): readonly Interrupt[] {
  if (mode === 'two') return [openInterrupt(1), openInterrupt(2)];
  return [mode === 'long' ? openInterrupt(1, { payload: { message: LONG } }) : openInterrupt(1)];
}

if (mode === 'turns') await converse();
else await ask(asked());

if (device.hungUp.aborted) {
  // Without its terminal Node 20 crashes when it ends by itself: it ends by the signal that closed the terminal.
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
