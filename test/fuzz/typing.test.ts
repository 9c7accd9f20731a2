// Typing, pasting and resizing in a pseudo terminal while text streams: nothing is lost, and nothing is mixed.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';

import { compiled } from '../helpers/compiled.js';
import { fuzzTarget } from './fuzz.js';

const SIZE = { cols: 70, rows: 18 };
const PATIENCE_MS = 20_000;
/** A line that fits the narrowest of the screens is one row of the transcript. */
const ROOM = 20;
const PROGRAM = compiled(fileURLToPath(new URL('typing-program.ts', import.meta.url)));
const tried = { schedules: 0, turns: 0, lines: 0, resizes: 0 };

/** The program in a pseudo terminal, and the screen that a person would see. */
class Typist {
  readonly folder = mkdtempSync(join(tmpdir(), 'hitl-typing-'));
  readonly screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true, scrollback: 20_000 });
  readonly pty = spawn(process.execPath, [PROGRAM, join(this.folder, 'socket')], {
    ...SIZE,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  #socket: Socket | undefined;

  constructor() {
    this.pty.onData((data) => {
      this.screen.write(data);
    });
  }

  async socket(): Promise<Socket> {
    for (let tries = 0; this.#socket === undefined; tries += 1) {
      const made = connect(join(this.folder, 'socket'));
      this.#socket = await new Promise<Socket | undefined>((resolve) => {
        made.once('connect', () => {
          resolve(made);
        });
        made.once('error', () => {
          resolve(undefined);
        });
      });
      if (tries > 400) throw new Error('the program did not start');
      if (this.#socket === undefined) await pause(50);
    }
    return this.#socket;
  }

  resize(cols: number, rows: number): void {
    this.screen.resize(cols, rows);
    this.pty.resize(cols, rows);
  }

  /** Every line of the transcript, whole where the terminal wrapped it. */
  async lines(): Promise<readonly string[]> {
    await new Promise<void>((resolve) => {
      this.screen.write('', resolve);
    });
    const { active } = this.screen.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    return lines.map((line) => line.trimEnd());
  }

  close(): void {
    this.#socket?.destroy();
    this.pty.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let typist: Typist | undefined;
afterAll(() => {
  typist?.close();
  const { schedules, turns, lines, resizes } = tried;
  process.stdout.write(
    `typing: ${schedules} schedules, ${turns} turns typed, ${lines} lines streamed, ${resizes} resizes: nothing lost, nothing mixed\n`,
  );
});

type Action =
  | { readonly type: 'type' | 'erase' | 'enter' | 'wait' }
  | { readonly type: 'paste'; readonly lines: number }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ type: 'type' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'erase' } as const) },
  { weight: 4, arbitrary: fc.constant({ type: 'enter' } as const) },
  { weight: 3, arbitrary: fc.constant({ type: 'wait' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('paste' as const), lines: fc.integer({ min: 4, max: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('resize' as const),
      cols: fc.integer({ min: 40, max: 110 }),
      rows: fc.integer({ min: 8, max: 40 }),
    }),
  },
);

const schedule = fc.record({
  actions: fc.array(fc.tuple(action, fc.nat(12)), { minLength: 3, maxLength: 25 }),
  // Words of each line that is said, and where it is cut into pieces.
  says: fc.array(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 18 }), fc.nat(30), fc.nat(8)), { maxLength: 6 }),
    {
      maxLength: 6,
    },
  ),
});

/** What was entered: what the program has to be told, and what stands in the transcript. */
interface Entered {
  readonly text: string;
  readonly shown: string;
}

async function typeWord(hand: Typist, word: string, ms: number): Promise<void> {
  for (const character of word) {
    hand.pty.write(character);
    if (ms > 0) await pause(ms);
  }
}

/** Does what a person does, and gives what they entered. */
async function act(hand: Typist, name: string, actions: readonly (readonly [Action, number])[]) {
  const entered: Entered[] = [];
  let [text, shown, count, wasResized] = ['', '', 0, false];
  const enter = (): void => {
    if (text.trim() !== '') entered.push({ text, shown });
    hand.pty.write('\r');
    [text, shown] = ['', ''];
  };
  for (const [one, ms] of actions) {
    switch (one.type) {
      case 'type':
        if (shown.length > ROOM) break;
        await typeWord(hand, `${name}t${(count += 1)} `, ms > 8 ? 1 : 0);
        text += `${name}t${count} `;
        shown += `${name}t${count} `;
        break;
      case 'erase':
        hand.pty.write('\u007f');
        if (shown.endsWith(']'))
          [text, shown] = [text.replace(/<[^>]*>$/u, ''), shown.replace(/\[\d lines\]$/u, '')];
        else [text, shown] = [text.slice(0, -1), shown.slice(0, -1)];
        break;
      case 'paste': {
        if (shown.length > ROOM) break;
        const block = `<${Array.from({ length: one.lines }, () => `${name}p${(count += 1)}`).join('\n')}>`;
        hand.pty.write(`\u001b[200~${block}\u001b[201~`);
        text += block;
        shown += `[${one.lines} lines]`;
        break;
      }
      case 'enter':
        enter();
        break;
      case 'resize':
        hand.resize(one.cols, one.rows);
        wasResized = true;
        break;
      case 'wait':
        break;
    }
    if (ms > 0) await pause(ms);
  }
  if (text !== '') enter();
  return { entered, wasResized };
}

let runs = 0;

async function tryOne({
  actions,
  says,
}: typeof schedule extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const hand = (typist ??= new Typist());
  const socket = await hand.socket();
  const name = `r${(runs += 1)}`;
  const end = `${name}end`;
  const heard = (): Promise<unknown> =>
    new Promise((resolve) => {
      socket.once('data', (data) => {
        resolve(JSON.parse(data.toString()));
      });
    });
  hand.resize(SIZE.cols, SIZE.rows);
  let said = 0;
  const lines = says.map((turn) =>
    turn.map(([words]) => `${name}s${(said += 1)} ${'word '.repeat(words)}`.trimEnd()),
  );
  const pieces = says.map((turn, at) =>
    turn.flatMap(([, cut, ms], index) => {
      const line = `${lines[at]?.[index] ?? ''}\n`;
      return [[ms, line.slice(0, cut)] as const, [0, line.slice(cut)] as const];
    }),
  );
  const ready = heard();
  socket.write(JSON.stringify({ columns: SIZE.cols, end, says: pieces }));
  expect(await ready).toBe('ready');
  const told = heard();
  const { entered, wasResized } = await act(hand, name, actions);
  await pause(20);
  hand.pty.write(`${end}\r`);
  const turns = await Promise.race([told, pause(PATIENCE_MS, undefined, { ref: false })]);
  expect(turns).toEqual(entered.map(({ text }) => text));
  const streamed = lines.slice(0, entered.length).flat();
  const queue = /^queued {2}/u;
  // The screen comes behind: what the terminal was told is on its way.
  for (let tries = 0; tries < 400 && !(await hand.lines()).includes(`> ${end}`); tries += 1) await pause(5);
  const shown = (await hand.lines()).filter((line) => line.includes(name) && !queue.test(line));
  const rows = shown.filter((line) => line !== `> ${end}`);
  const expectedTurns = entered
    .filter(({ shown: row }) => row.includes(name))
    .map(({ shown: row }) => `> ${row}`.trimEnd());
  const expected = new Set([...streamed, ...expectedTurns]);
  if (wasResized) {
    // A terminal that became narrower has wrapped what was drawn: a row of the line may be left over, no text may miss.
    for (const line of expected) expect(rows).toContain(line);
  } else {
    expect(rows.filter((line) => line.startsWith(`${name}s`))).toEqual(streamed);
    expect(rows.filter((line) => line.startsWith('> '))).toEqual(expectedTurns);
    expect(rows.filter((line) => !expected.has(line))).toEqual([]);
  }
  tried.schedules += 1;
  tried.turns += entered.length;
  tried.lines += streamed.length;
  tried.resizes += Number(wasResized);
}

fuzzTarget('typing', {
  'whatever is typed, pasted and resized while text streams, each line is told once and no text is mixed': {
    runs: 50,
    longRuns: 1000,
    property: () => fc.asyncProperty(schedule, tryOne),
  },
});
