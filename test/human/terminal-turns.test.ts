import { describe, expect, test } from 'vitest';

import { emptyState } from '../../src/core/index.js';
import { createTerminalTurns } from '../../src/human/line-editor/turns.js';
import { KEYS, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;

function turnsAt(terminal = testTerminal(), options = {}) {
  const { device, clock, theme } = terminal;
  const turns = createTerminalTurns({ device, clock, theme, ...options });
  return { terminal, next: (signal = never) => turns.next(emptyState(), signal) };
}

describe('user turns at a terminal', () => {
  test('Enter sends a line, and it stays on the screen', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('hello\r');
    expect(await turn).toEqual({ type: 'message', text: 'hello' });
    expect(await terminal.screen()).toBe('> hello');
    expect(terminal.isRaw()).toBe(false);
  });

  test('an empty line is no turn', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('\r  \r');
    await terminal.type('x\r');
    expect(await turn).toEqual({ type: 'message', text: 'x' });
  });

  test('a paste of several lines is one turn', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.paste(Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\r'));
    expect(await terminal.screen()).toBe('> [pasted 40 lines]');
    await terminal.send('\r');
    expect(await turn).toMatchObject({ text: expect.stringContaining('line 0\nline 1\n') });
  });

  test('Ctrl-C clears a line; twice on an empty one within a second it ends', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    await terminal.send(KEYS.ctrlC);
    expect(await terminal.screen()).toBe('>');
    await terminal.send(KEYS.ctrlC);
    expect(await terminal.screen()).toBe('> \nPress Ctrl-C again to exit');
    await terminal.clock.advance(1500);
    await terminal.send(KEYS.ctrlC);
    await terminal.type('a');
    expect(await terminal.screen()).toBe('> a');
    await terminal.send(KEYS.ctrlC);
    await terminal.send(KEYS.ctrlC);
    await terminal.send(KEYS.ctrlC);
    expect(await turn).toEqual({ type: 'end', why: 'Ctrl-C' });
    expect(await terminal.screen()).toBe('');
  });

  test('Ctrl-D on an empty line ends, in a text it deletes', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('ab');
    await terminal.send(KEYS.left);
    await terminal.send(KEYS.ctrlD);
    expect(await terminal.screen()).toBe('> a');
    await terminal.send(KEYS.backspace);
    await terminal.send(KEYS.ctrlD);
    expect(await turn).toEqual({ type: 'end', why: 'Ctrl-D' });
  });

  test('Esc does nothing', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('a');
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(60);
    await terminal.type('b\r');
    expect(await turn).toEqual({ type: 'message', text: 'ab' });
  });

  test('Tab completes: to what all candidates share, then it shows them', async () => {
    const names = ['/help', '/history', '/quit'];
    const { terminal, next } = turnsAt(undefined, {
      complete: (text: string) => names.filter((name) => name.startsWith(text)),
    });
    const turn = next();
    await terminal.type('/h\t');
    expect(await terminal.screen()).toBe('> /h\n/help  /history');
    await terminal.type('i\t');
    expect(await terminal.screen()).toBe('> /history');
    await terminal.type('\u0015/x\t\r');
    expect(await turn).toEqual({ type: 'message', text: '/x' });
  });

  test('lines are kept in the history, also of earlier processes', async () => {
    const added: string[] = [];
    const history = {
      load: () => Promise.resolve(['earlier']),
      add: (line: string) => {
        added.push(line);
        return Promise.resolve();
      },
    };
    const { terminal, next } = turnsAt(undefined, { history });
    const first = next();
    await terminal.type('now\r');
    await first;
    const again = next();
    await terminal.settle();
    await terminal.send(KEYS.up);
    await terminal.send('\r');
    expect(await again).toEqual({ type: 'message', text: 'now' });
    const third = next();
    await terminal.settle();
    await terminal.send(KEYS.up);
    await terminal.send(KEYS.up);
    await terminal.send('\r');
    expect(await third).toEqual({ type: 'message', text: 'earlier' });
    expect(added).toEqual(['now', 'earlier']);
  });

  test('what was typed ahead is kept for the next turn', async () => {
    const { terminal, next } = turnsAt();
    const first = next();
    await terminal.send('one\rtwo\rthr');
    expect(await first).toEqual({ type: 'message', text: 'one' });
    expect(await next()).toEqual({ type: 'message', text: 'two' });
    const third = next();
    await terminal.type('ee\r');
    expect(await third).toEqual({ type: 'message', text: 'three' });
  });

  test('a withdrawn line is there again at the next call', async () => {
    const { terminal, next } = turnsAt();
    const leaving = new AbortController();
    const withdrawn = next(leaving.signal);
    await terminal.type('half a sen');
    leaving.abort(new Error('stopped'));
    await expect(withdrawn).rejects.toThrow('stopped');
    expect([await terminal.screen(), terminal.isRaw()]).toEqual(['', false]);
    const turn = next();
    await terminal.type('tence\r');
    expect(await turn).toEqual({ type: 'message', text: 'half a sentence' });
  });

  test('G26: the end of the terminal ends the turns', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    terminal.close();
    expect(await turn).toEqual({ type: 'end', why: 'the terminal is gone' });
    expect(await next()).toEqual({ type: 'end', why: 'the terminal is gone' });
  });

  test('G28: after Ctrl-Z the line is drawn again below what came meanwhile', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    await terminal.send(KEYS.ctrlZ);
    expect(await terminal.screen()).toBe('> abc\n> abc');
    await terminal.type('d\r');
    expect(await turn).toEqual({ type: 'message', text: 'abcd' });
  });

  test('a narrower and a wider screen show the line once', async () => {
    const { terminal, next } = turnsAt(testTerminal({ columns: 60, rows: 10 }));
    const first = next();
    await terminal.type('before\r');
    await first;
    const turn = next();
    await terminal.type('x'.repeat(50));
    await terminal.resize(30, 10);
    expect(await terminal.screen()).toBe(`> before\n> ${'x'.repeat(27)}\n  ${'x'.repeat(23)}`);
    await terminal.resize(60, 10);
    expect(await terminal.screen()).toBe(`> before\n> ${'x'.repeat(50)}`);
    await terminal.type('\r');
    await turn;
  });

  test('Ctrl-L clears the screen and keeps the line', async () => {
    const { terminal, next } = turnsAt();
    const first = next();
    await terminal.type('one\r');
    await first;
    const turn = next();
    await terminal.type('two');
    await terminal.send(KEYS.ctrlL);
    expect((await terminal.screen()).trimStart()).toBe('> two');
    await terminal.type('\r');
    await turn;
  });
});
