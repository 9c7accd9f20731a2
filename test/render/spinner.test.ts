import { PassThrough } from 'node:stream';

import { describe, expect, test, vi } from 'vitest';

import { createSpinner } from '../../src/render/index.js';
import type { SpinnerStream } from '../../src/render/index.js';

/** A terminal that remembers what was written, and can do what ora asks of one. */
class FakeTerminal extends PassThrough {
  readonly isTTY: boolean;
  columns = 80;
  written = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
    this.on('data', (chunk: Buffer) => {
      this.written += chunk.toString();
    });
  }

  cursorTo(column: number): boolean {
    return this.write(`{to ${column}}`);
  }

  clearLine(): boolean {
    return this.write('{clear}');
  }

  moveCursor(): boolean {
    return this.write('{move}');
  }

  /** What was written since the last look, without the codes of synchronized output. */
  look(): string {
    const { written } = this;
    this.written = '';
    return written.replaceAll(/\u001B\[\?2026[hl]/g, ''); // oxlint-disable-line no-control-regex -- ora's
  }
}

function spinnerAt(stream: SpinnerStream, now: () => number, env: Record<string, string> = {}) {
  return createSpinner({ stream, env, style: (text) => text, now });
}

describe('a spinner', () => {
  test('shows nothing on a terminal that reports no width, where erasing lines would never end (G26)', () => {
    const terminal = new FakeTerminal(true);
    terminal.columns = 0;
    spinnerAt(terminal, () => 0).show({ text: 'waiting', since: 0 });
    expect(terminal.look()).toBe('');
  });

  test('says what is waited for, for how long, and how to stop', () => {
    vi.useFakeTimers({ now: 0 });
    const terminal = new FakeTerminal(true);
    const spinner = spinnerAt(terminal, () => Date.now());
    spinner.show({ text: 'waiting for demo', since: 0 });
    const looks = [terminal.look()];
    for (const ms of [4000, 6000]) {
      vi.advanceTimersByTime(ms);
      looks.push(terminal.look().split('{clear}').at(-1)!.slice(1));
    }
    spinner.hide();
    vi.useRealTimers();
    expect(looks).toEqual([
      '{to 0}⠋ waiting for demo',
      ' waiting for demo · 4 s · Ctrl-C stops',
      ' waiting for demo · 10 s · Ctrl-C stops',
    ]);
    expect(terminal.look()).toBe('{to 0}{clear}');
  });

  test('counts down to what is planned', () => {
    const terminal = new FakeTerminal(true);
    const spinner = spinnerAt(terminal, () => 1500);
    spinner.show({ text: 'attempt 2', since: 1000, until: 4000 });
    spinner.hide();
    expect(terminal.look()).toContain('⠋ attempt 2 · in 3 s');
  });

  test('changes its text without a second line, and is cut to the width', () => {
    const terminal = new FakeTerminal(true);
    terminal.columns = 50;
    const spinner = spinnerAt(terminal, () => 0);
    spinner.show({ text: 'a', since: 0 });
    spinner.show({ text: 'x'.repeat(100), since: 0 });
    spinner.hide();
    spinner.hide();
    spinner.show({ text: 'y'.repeat(100), since: 0 });
    spinner.hide();
    expect(terminal.look()).toBe(`{to 0}⠋ a{to 0}{clear}{to 0}⠋ ${'y'.repeat(9)}…{to 0}{clear}`);
  });

  test('takes no input and hides no cursor (E9)', () => {
    const raw = vi.fn();
    const { stdin } = process;
    const { isTTY, setRawMode } = stdin;
    Object.assign(stdin, { isTTY: true, setRawMode: raw });
    const listeners = process.listenerCount('SIGINT');
    const terminal = new FakeTerminal(true);
    const spinner = spinnerAt(terminal, () => 0);
    spinner.show({ text: 'a', since: 0 });
    spinner.hide();
    Object.assign(stdin, { isTTY, setRawMode });
    expect([raw.mock.calls.length, process.listenerCount('SIGINT')]).toEqual([0, listeners]);
    expect(terminal.look()).not.toContain('\u001B[?25l');
  });

  test.for<[string, boolean, Record<string, string>]>([
    ['a pipe', false, {}],
    ['a dumb terminal', true, { TERM: 'dumb' }],
    ['the log of a CI', true, { CI: '1' }],
  ])('writes nothing to %s (E8)', ([, isTTY, env]) => {
    const terminal = new FakeTerminal(isTTY);
    const spinner = spinnerAt(terminal, () => 0, env);
    spinner.show({ text: 'a', since: 0 });
    spinner.hide();
    expect(terminal.written).toBe('');
  });

  test('gives its rows to whoever owns the screen: what fits of the facts, and the latest lines as safe ones', () => {
    const terminal = new FakeTerminal(true);
    const shown: unknown[] = [];
    const wait = { text: `Run \`${'x'.repeat(80)}\``, since: 0, tokens: 3104, latest: ['a\tb', '\u001b[2J'] };
    for (const columns of [60, 40, 20]) {
      terminal.columns = columns;
      const spinner = createSpinner({
        ...{ stream: terminal, env: {}, style: (text) => text, now: () => 12_000, key: 'Esc' },
        row: (rows) => {
          shown.push(rows);
        },
      });
      spinner.show(wait, ['above']);
      spinner.hide();
    }
    const rows = { above: ['above'], below: ['  a       b', '  \\u{1B}[2J'] };
    expect(shown).toEqual([
      { ...rows, text: '⠋ Run `xxxxxxxxxxxxxxxxx… · 12 s · 3,104 tokens · Esc stops' },
      undefined,
      { ...rows, text: '⠋ Run `xxxxxxxxxxxx… · 12 s · Esc stops' },
      undefined,
      { ...rows, text: '⠋ Run `xxxxxxxxxxx…' },
      undefined,
    ]);
    expect(terminal.written).toBe('');
  });
});
