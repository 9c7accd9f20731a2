import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';

import { compiled } from '../helpers/compiled.js';

const here = dirname(fileURLToPath(import.meta.url));
const program = compiled(fileURLToPath(import.meta.resolve('./terminal-program.ts')));
/** How long a busy machine may take for what comes at once on a quiet one. */
const PATIENCE_MS = 60_000;
const size = { cols: 100, rows: 30 };

/** The program as a line for a shell: where it lies, there may be spaces. */
function command(mode: string, argument = ''): string {
  return `'${process.execPath}' '${program}' ${mode} ${argument}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A program in a real terminal. */
class Session implements Disposable {
  output = '';
  readonly screen = new xterm.Terminal({ ...size, allowProposedApi: true });
  readonly exit: Promise<unknown>;
  readonly pty: IPty;
  #isOver = false;

  constructor(file: string, args: readonly string[]) {
    const env = { ...process.env, TERM: 'xterm-256color', PS1: '$ ', LC_ALL: 'C.UTF-8' };
    this.pty = spawn(file, [...args], { ...size, cwd: join(here, '../..'), env });
    this.pty.onData((data) => {
      this.output += data;
      this.screen.write(data);
    });
    this.exit = new Promise((resolve) => {
      this.pty.onExit((exit) => {
        this.#isOver = true;
        resolve(exit);
      });
    });
  }

  /** Waits until something was written, counted from a place in the output. */
  async until(text: string | RegExp, from = 0): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const seen = this.output.slice(from);
      if (typeof text === 'string' ? seen.includes(text) : text.test(seen)) return;
      if (Date.now() > end) throw new Error(`did not see ${String(text)} in ${JSON.stringify(this.output)}`);
      await pause(5);
    }
  }

  /** Presses keys one by one, as a person does. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await pause(600);
      this.pty.write(key);
    }
  }

  get results(): readonly unknown[] {
    return [...this.output.matchAll(/RESULT (.*?)\r?\n/g)].map(
      ([, json]) => JSON.parse(json ?? '') as unknown,
    );
  }

  async shown(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.screen.write('', resolve);
    });
    const { active } = this.screen.buffer;
    return Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    )
      .join('\n')
      .trimEnd();
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    try {
      process.kill(-this.pty.pid, 'SIGKILL');
    } catch {
      // it is ending
    }
  }
}

/** Starts the program with the modes of the terminal printed before and after it. */
function start(mode: string, argument = ''): Session {
  return new Session('sh', ['-c', `stty -g; ${command(mode, argument)}; echo STATUS $?; stty -g`]);
}

/** The terminal is as it was: modes, cursor, bracketed paste, screen. */
async function expectAsFound(of: Session): Promise<void> {
  await of.exit;
  // The last output may come after the end.
  await of.until(/STATUS \d+\r\n(?:[0-9a-f]+:){10,}[0-9a-f]+\r\n/);
  const modes = of.output.match(/(?:[0-9a-f]+:){10,}[0-9a-f]+/g) ?? [];
  expect(modes).toHaveLength(2);
  expect(modes[1]).toBe(modes[0]);
  await of.shown();
  expect(of.screen.modes.bracketedPasteMode).toBe(false);
  expect(of.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(of.output.lastIndexOf('\u001b[?25l'));
  expect(of.screen.buffer.active.type).toBe('normal');
}

const approved = { id: 'i1', action: 'restart' };

describe.skipIf(process.platform === 'win32')('a question in a real terminal', { concurrent: true }, () => {
  test('`y` approves, and the terminal is left as it was found', async () => {
    using of = start('ask');
    await of.until('Approve this call?');
    await of.press('y');
    await expectAsFound(of);
    expect(of.results).toEqual([approved]);
    expect(await of.shown()).toMatch(/✓ you approved {2}transferMoney {2}ABC123, 200\n/);
  });

  test('G30: early keys, Enter, held Enter, pastes and reports never approve', async () => {
    using of = start('ask');
    // Typed before anything is drawn.
    of.pty.write('y\ry');
    await of.until('Approve this call?');
    for (const ms of [0, 10, 20, 40, 40, 40]) {
      await pause(ms);
      of.pty.write('y');
    }
    await pause(2000);
    expect(of.results).toEqual([]);
    for (let count = 0; count < 60; count += 1) {
      of.pty.write('\r');
      await pause(20);
    }
    await pause(2000);
    of.pty.write('\u001b[200~y\ry\u001b[201~');
    await pause(600);
    of.pty.write('y\ny\n');
    await pause(600);
    for (const report of ['\u001b[?1;2c', '\u001b[24;80R', '\u001b]52;c;eXl5\u0007', '\u001bP>|y\u001b\\']) {
      of.pty.write(report);
      await pause(100);
    }
    await pause(600);
    expect(of.results).toEqual([]);
    await of.press('n', '\r');
    await expectAsFound(of);
    expect(of.results).toEqual([{ id: 'i1', action: 'reject' }]);
  });

  test('an edit changes the amount', async () => {
    using of = start('ask');
    await of.until('Approve this call?');
    await of.press('e', '\r', '\u0015', '1', '5', '0', '\r');
    await of.until('change again');
    expect(await of.shown()).toContain('you changed amount 200 → 150');
    await of.press('\r', 'y');
    await expectAsFound(of);
    expect(of.results).toEqual([{ ...approved, input: { toAccount: 'ABC123', amount: 150 } }]);
  });

  test('Ctrl-C withdraws, and the terminal is left as it was found', async () => {
    using of = start('ask');
    await of.until('Approve this call?');
    of.pty.write('\u0003');
    await expectAsFound(of);
    expect([of.results, of.output.includes('STATUS 0')]).toEqual([['left with Ctrl-C'], true]);
  });

  test('two are answered in any order', async () => {
    using of = start('two');
    await of.until('Approve both calls?');
    await of.press('2');
    await of.until('2 of 2');
    const from = of.output.length;
    await of.press('y');
    await of.until(/RESULT[^]*Approve this call\?/, from);
    await of.press('c');
    await expectAsFound(of);
    expect(of.results).toEqual([
      { id: 'i2', action: 'restart' },
      { id: 'i1', action: 'cancel' },
    ]);
  });

  test('an abort withdraws it with the reason', async () => {
    using of = start('abort', '1500');
    await of.until('Approve this call?');
    await expectAsFound(of);
    expect(of.results).toEqual(['answered elsewhere by bob']);
    expect(await of.shown()).toContain('not answered: answered elsewhere by bob');
  });

  test('G26: a signal that aborts it leaves the terminal as it was found, also from the second screen', async () => {
    using of = start('long');
    await of.until('Approve this call?');
    await of.press('v');
    await of.until('q back');
    using children = new Session('pgrep', ['-P', String(of.pty.pid)]);
    await children.exit;
    process.kill(Number(children.output.trim().split(/\s+/)[0]), 'SIGTERM');
    await expectAsFound(of);
    expect([of.results, of.output.includes('STATUS 143')]).toEqual([['stopped by SIGTERM'], true]);
  });

  test('G26: a terminal that is closed ends it at once, without a crash', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hitl-test-'));
    const file = join(folder, 'status');
    // The shell outlives the terminal, to tell how the program ended.
    using of = new Session('sh', ['-c', `trap '' HUP; ${command('ask')}; echo $? > ${file}`]);
    await of.until('Approve this call?');
    (of.pty as unknown as { destroy(): void }).destroy();
    const end = Date.now() + PATIENCE_MS;
    const status = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    while (status() === '' && Date.now() < end) await pause(20);
    const ended = status();
    rmSync(folder, { recursive: true });
    expect(ended).toBe('129\n');
  });

  test('G28: Ctrl-Z and `fg` draw it again, and keys typed meanwhile do not answer it', async () => {
    using of = new Session('bash', ['--norc', '--noprofile', '-i']);
    await of.until('$ ');
    of.pty.write(`${command('ask')}\r`);
    await of.until('Approve this call?');
    await of.press('\u001a');
    await of.until('Stopped');
    const from = of.output.length;
    of.pty.write('fg\ry');
    await of.until('Approve this call?', from);
    await pause(1500);
    expect(of.results).toEqual([]);
    expect(of.output.slice(from)).toContain('┃ transferMoney');
    await of.press('y');
    await of.until('RESULT');
    expect(of.results).toEqual([approved]);
  });
});

describe.skipIf(process.platform === 'win32')('user turns in a real terminal', () => {
  test('a paste of lines is one turn, `"""` holds several, Ctrl-D ends', async () => {
    using of = start('turns');
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    await of.until('> ');
    of.pty.write(`\u001b[200~${lines.join('\r')}\u001b[201~`);
    await of.until('[40 lines]');
    of.pty.write('\r');
    await of.until('RESULT');
    of.pty.write('"""\rtwo\rlines"""\r');
    await of.until(/RESULT[^]*RESULT/);
    await of.press('\u0004');
    await expectAsFound(of);
    expect(of.results).toEqual([
      { type: 'message', text: lines.join('\n') },
      { type: 'message', text: 'two\nlines' },
      { type: 'end', why: 'Ctrl-D' },
    ]);
  });
});
