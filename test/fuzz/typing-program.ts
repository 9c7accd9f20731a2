// A program for a real terminal: takes turns, and says after each what it was told to say, in pieces, while one types.
import { createServer } from 'node:net';
import { setTimeout as sleepFor } from 'node:timers/promises';

import type { Clock } from '../../src/core/index.js';
import { emptyState } from '../../src/core/index.js';
import { Composer, TerminalDevice, plainTheme } from '../../src/human/seated.js';

/** What is said after each turn, in pieces, each with what is waited before it. */
interface Schedule {
  /** How wide the terminal is when it begins. */
  readonly columns: number;
  readonly end: string;
  readonly says: readonly (readonly (readonly [number, string])[])[];
}

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
};
const device = new TerminalDevice({
  input: process.stdin,
  output: process.stderr,
  shared: [process.stdout],
  clock,
});
const composer = new Composer({ device, clock, theme: plainTheme });
const [place = ''] = process.argv.slice(2);

createServer((socket) => {
  socket.on('data', (data) => {
    const schedule = JSON.parse(data.toString()) as Schedule;
    void begun(schedule).then(async () => {
      socket.write('"ready"');
      socket.write(JSON.stringify(await play(schedule)));
    });
  });
  socket.on('close', () => process.exit(0));
}).listen(place);

/** A terminal that was resized tells so a moment later. */
async function begun({ columns }: Schedule): Promise<void> {
  while (process.stderr.columns !== columns) await sleepFor(2);
}

async function play({ end, says }: Schedule): Promise<readonly string[]> {
  const turns: string[] = [];
  for (;;) {
    const turn = await composer.next(emptyState(), new AbortController().signal);
    if (turn.type === 'end' || turn.text === end) return turns;
    const pieces = says[turns.length] ?? [];
    turns.push(turn.text);
    for (const [ms, text] of pieces) {
      await sleepFor(ms);
      process.stdout.write(text);
    }
  }
}
