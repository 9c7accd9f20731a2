// The same schedules in the built program, in a real terminal: a few of them, for what a clock of our own cannot show.
import { setTimeout as sleep } from 'node:timers/promises';

import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import { Home, PROGRAM } from '../helpers/program.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';
import type { Read, Schedule } from './typing-at-questions.js';
import { piecesOf, schedules } from './typing-at-questions.js';

const COUNT = 8;
const AT_ONCE = 4;
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const MOST_STEPS = 14;
/** Nobody waits longer here. */
const MOST_MS = 700;
const STARTS_MS = 20_000;

interface Word {
  readonly tail: string;
  readonly text: string;
  readonly from: number;
  to: number;
}

/** What was done in a terminal, and what came of it. */
interface Tried {
  readonly reads: readonly Read[];
  readonly words: readonly Word[];
  readonly journal: readonly SessionEvent[];
  /** All that is on the screen and above it. */
  readonly screen: string;
}

/** The calls of a schedule, one reply for each run. */
function modelOf(home: Home, { runs }: Schedule): string {
  let number = 0;
  const replies = runs.map(({ says, asks }) => ({
    text: 'I work.',
    delayMs: says.reduce((sum, ms) => sum + ms, 0),
    tools: asks.map((kind) => {
      number += 1;
      if (kind === 'short') return { name: 'pay', input: { to: `q${number}`, amount: 5 } };
      if (kind === 'long')
        return { name: 'write_file', input: { path: `q${number}.txt`, content: 'a line\n'.repeat(60) } };
      const choices = kind === 'choice' && { choices: ['one', 'two'] };
      return { name: 'ask_user', input: { question: `What is q${number}?`, ...choices } };
    }),
  }));
  return scriptModel(home, [...replies, ...Array.from({ length: 20 }, () => ({ text: 'Heard.' }))]);
}

async function tryOut(schedule: Schedule): Promise<Tried> {
  using home = new Home();
  const { module } = payModule(home, { members: 'needsApproval: true,' });
  const size = { cols: schedule.columns, rows: schedule.rows };
  const screen = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 5000 });
  const args = ['chat', 'go', '--model', modelOf(home, schedule), '--sandbox', 'off', '-t', module];
  const pty = spawn(process.execPath, [PROGRAM, ...args], {
    ...size,
    cwd: home.work,
    env: { ...home.env, NO_COLOR: '1' },
  });
  const text = (): string =>
    Array.from({ length: screen.buffer.active.length }, (_, row) => {
      const line = screen.buffer.active.getLine(row);
      return `${line?.isWrapped === true ? '' : '\n'}${line?.translateToString(true) ?? ''}`;
    }).join('');
  pty.onData((data) => {
    screen.write(data);
  });
  const ended = new Promise<void>((resolve) => {
    pty.onExit(() => {
      resolve();
    });
  });
  try {
    const end = Date.now() + STARTS_MS;
    while (!text().includes('/help')) {
      if (Date.now() > end) throw new Error(`it did not start: ${text()}`);
      await sleep(10);
    }
    const reads: Read[] = [];
    const words: Word[] = [];
    for (const step of schedule.steps.slice(0, MOST_STEPS)) {
      await sleep(Math.min(step.after, MOST_MS));
      if (step.type === 'size') {
        screen.resize(step.columns, step.rows);
        pty.resize(step.columns, step.rows);
      } else
        await type(step, words, (piece) => {
          reads.push({ ...piece, at: Date.now() });
          pty.write(piece.bytes);
        });
    }
    await sleep(1500);
    // Beside a question the line is not drawn: Esc postpones it. At the line it does nothing, when it is not pressed twice.
    // Several questions first ask which one; that has no bar, and hides the line too.
    const hidesLine = (): boolean => /\n┃|Which one first\?\s*$/u.test(text().slice(-2500));
    for (let tries = 0; tries < 3 && hidesLine(); tries += 1) {
      pty.write('\u001b');
      await sleep(1100);
    }
    pty.kill('SIGKILL');
    await ended;
    return { reads, words, journal: home.events() as unknown as readonly SessionEvent[], screen: text() };
  } finally {
    pty.kill('SIGKILL');
  }
}

/** Sends the pieces of a step, each when it is time. */
async function type(
  step: Parameters<typeof piecesOf>[0],
  words: Word[],
  send: (piece: Omit<Read, 'at'>) => void,
): Promise<void> {
  const began = words.length;
  for (const piece of piecesOf(step, namer(words))) {
    if (piece.after > 0) await sleep(piece.after);
    if (piece.bytes !== '') send(piece);
  }
  for (const word of words.slice(began)) word.to = Date.now();
}

function namer(words: Word[]) {
  return {
    begin: () => undefined,
    word: (start: string) => {
      const tail = `w${words.length}z`;
      words.push({ tail, text: `${start}${tail}`, from: Date.now(), to: Date.now() });
      return `${start}${tail}`;
    },
  };
}

/** What must not be. */
function broken({ reads, words, journal, screen }: Tried): readonly string[] {
  const raised = new Map<string, number>();
  const used = new Set<Read>();
  const found: string[] = [];
  const said: string[] = [];
  const asked: { readonly from: number; to: number; readonly id: string }[] = [];
  for (const event of journal) {
    if (event.type === 'interrupt-raised') {
      const from = Date.parse(event.interrupt.raisedAt);
      raised.set(event.interrupt.id, from);
      asked.push({ from, to: Number.POSITIVE_INFINITY, id: event.interrupt.id });
    }
    if (event.type === 'message-added' && event.message.role === 'user')
      said.push(...event.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
    if (event.type !== 'interrupt-resolved') continue;
    const at = Date.parse(event.resolvedAt);
    const open = asked.find(({ id }) => id === event.id);
    if (open !== undefined) open.to = at;
    if (event.resolution.action !== 'restart') continue;
    const since = raised.get(event.id) ?? Number.POSITIVE_INFINITY;
    const key = reads.findLast(
      (read) => read.at <= at && mayApprove(read, since) && (!used.has(read) || read.bytes === 'Y'),
    );
    if (key === undefined) found.push(`${event.id} was approved at ${at}, asked at ${since}, and by no key`);
    else used.add(key);
  }
  for (const { tail, text, from, to } of words) {
    const told = [...said, screen].join('\n');
    const isLine = !asked.some((open) => open.from - 500 < to && open.to + 500 > from);
    if (said.some((one) => one.includes(tail) && !one.includes(text)))
      found.push(`a part of “${text}” was said`);
    if (isLine && !told.replaceAll('\n', '').includes(text))
      found.push(`“${text}” was typed into the line, and is lost`);
  }
  return found;
}

/** Whether a read may be the key that approved a question: one key, and not before it was asked. */
function mayApprove({ kind, bytes, at }: Read, since: number): boolean {
  return kind === 'key' && /^[A-Za-z0-9\r\t]$/u.test(bytes) && at >= since;
}

test.skipIf(process.platform === 'win32')(
  `${COUNT} schedules in the built program: nothing is lost, nothing is mixed, and each approval has its key (G30)`,
  { timeout: 280_000 },
  async () => {
    const left = [...fc.sample(schedules, { numRuns: COUNT, seed: SEED })];
    const found: unknown[] = [];
    let approved = 0;
    const work = async (): Promise<void> => {
      for (let schedule = left.pop(); schedule !== undefined; schedule = left.pop()) {
        const tried = await tryOut(schedule);
        const laws = broken(tried);
        if (laws.length > 0)
          found.push({ laws, reads: tried.reads, journal: tried.journal, screen: tried.screen });
        approved += tried.journal.filter(
          (event) => event.type === 'interrupt-resolved' && event.resolution.action === 'restart',
        ).length;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    process.stdout.write(
      `typing at questions: ${COUNT} schedules in the program, seed ${SEED}, ${approved} approvals\n`,
    );
    expect(found).toEqual([]);
    expect(approved).toBeGreaterThan(0);
  },
);
