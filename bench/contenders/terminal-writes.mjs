import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

import { product } from '../harness/places.mjs';

const text = `## A plan

There is **one** thing to do first, and \`npm ci\` does it; the rest can [wait](https://example.org/why).

- look at the *journal*, line by line
- compare it with what was expected

\`\`\`ts
for (const event of events) await record(event);
\`\`\`

| step | costs |
| --- | --- |
| read | 12 |
| write | 140 |

`;

/** What a model streams, as pieces of text, or of inputs of which only the size is told. */
const streams = {
  markdown: (index) => ({ type: 'text-delta', text: text.slice((index * 5) % text.length).slice(0, 5) }),
  prose: () => ({ type: 'text-delta', text: 'word ' }),
  /** A style that is never closed is held back as long as one may be. */
  open: (index) => ({ type: 'text-delta', text: index % 100 === 0 ? '**so ' : 'word ' }),
  /** One long line of code. */
  code: (index) => ({ type: 'text-delta', text: index === 0 ? '```\n' : 'f(x);' }),
  input: () => ({ type: 'tool-input-delta', name: 'write_file', characters: 20 }),
  thinking: () => ({ type: 'reasoning-delta', text: 'hmm, ' }),
  wideThinking: () => ({ type: 'reasoning-delta', text: '我想一想，' }),
};

/** A terminal that counts what is written to it. */
class CountingTerminal {
  isTTY = true;
  columns = 100;
  rows = 40;
  writes = 0;
  bytes = 0;

  write(chunk) {
    this.writes += 1;
    this.bytes += Buffer.byteLength(chunk);
    return true;
  }

  cursorTo = () => this.write('\u001b[1G');
  moveCursor = () => this.write('\u001b[1A');
  clearLine = () => this.write('\u001b[K');
}

/** Draws when a frame is over, as the program does. */
const afterFrame = (draw) => setTimeout(draw, 16);

/**
 * A reply in many deltas through the renderer of a terminal. Twenty deltas come in a turn of the event loop, as fast
 * as can be, or `rate` of them a second.
 * @param params `{ stream: 'markdown' | 'prose' | 'open' | 'code' | 'input' | 'thinking' | 'wideThinking', deltas, rate? }`
 */
export async function measure({ stream, deltas, rate = Infinity }) {
  const { createTheme } = await product('src/render/index.js');
  const { createSpinner, TerminalRenderer } = await product('src/render/index.js');
  const { emptyState, evolve } = await product('src/core/index.js');
  const stdout = new CountingTerminal();
  const stderr = new CountingTerminal();
  const now = () => Date.now();
  const theme = createTheme({ colour: true });
  const spinner = createSpinner({ stream: stderr, env: {}, style: theme.dim, now });
  const renderer = new TerminalRenderer({ stdout, stderr, theme, now, spinner, afterFrame });
  const started = { type: 'model-started', attempt: 1 };
  const pass = async (count) => {
    let received = 0;
    const begun = performance.now();
    renderer.event(started, 1, state);
    for (let index = 0; index < count; index += 1) {
      const delta = streams[stream](index);
      if (delta.type === 'text-delta') received += delta.text.length;
      renderer.transient(delta);
      if (index % 20 !== 19) continue;
      const early = begun + (index / rate) * 1000 - performance.now();
      await (early > 1 ? pause(early) : turn());
    }
    renderer.stopped(state);
    return received;
  };
  const agent = { model: 'bench', tools: [] };
  const state = evolve(emptyState(), { type: 'session-created', agent });
  await pass(2000);
  const before = { writes: stdout.writes, bytes: stdout.bytes, spun: stderr.writes };
  const start = { wall: performance.now(), cpu: process.cpuUsage() };
  const received = await pass(deltas);
  const { user, system } = process.cpuUsage(start.cpu);
  const cpuMs = (user + system) / 1000;
  const bytes = stdout.bytes - before.bytes;
  if (bytes < received) throw new Error(`${bytes} bytes shown of ${received}`);
  return {
    ms: performance.now() - start.wall,
    cpuMs,
    kiloDeltasPerCpuSecond: deltas / cpuMs,
    writes: stdout.writes - before.writes,
    spinnerWrites: stderr.writes - before.spun,
    bytesOverText: received === 0 ? 0 : bytes / received,
  };
}
