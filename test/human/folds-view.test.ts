// The view of what is folded: a screen of its own, over whatever is on the other one.
import { describe, expect, test } from 'vitest';

import { Composer } from '../../src/human/composer/composer.js';
import { viewWhole } from '../../src/human/prompt/view-whole.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import type { TestTerminal } from './terminal-harness.js';
import { bankState, KEYS, openInterrupt, testTerminal } from './terminal-harness.js';

const CTRL_O = '\u000f';
const never = new AbortController().signal;
const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** A terminal with a prompt, on which so many rows are folded. */
function folding(texts: readonly string[], size = { columns: 60, rows: 8 }) {
  const terminal = testTerminal(size);
  const { device, clock, theme } = terminal;
  const composer = new Composer({ device, clock, theme });
  device.viewWith((held) =>
    texts.length === 0 ? undefined : viewWhole({ terminal: held, clock, theme }, () => texts),
  );
  return { terminal, composer };
}

const rowsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `row ${at}`);
const first = async (terminal: TestTerminal): Promise<string> =>
  (await terminal.screen()).split('\n')[0] ?? '';
const last = async (terminal: TestTerminal): Promise<string> =>
  (await terminal.screen()).split('\n').at(-1) ?? '';

describe('the view of what is folded', () => {
  test.for(['q', KEYS.escape, CTRL_O, KEYS.ctrlC])(
    'is opened by Ctrl-O and closed by %j, and leaves nothing',
    async (key) => {
      const { terminal } = folding(rowsOf(3));
      terminal.device.screen.append('above\n');
      await terminal.type('draft');
      const before = await terminal.screen();
      await terminal.send(CTRL_O);
      expect(await first(terminal)).toBe('row 0');
      await terminal.send(key);
      await terminal.clock.advance(100);
      expect(await terminal.screen()).toBe(before);
      expect(before).toBe('above\n> draft');
    },
  );

  test('takes every key, and what is written meanwhile stands below it afterwards', async () => {
    const { terminal } = folding(rowsOf(30));
    await terminal.send(CTRL_O);
    await terminal.type('x/');
    terminal.device.screen.append('written meanwhile\n');
    expect(await terminal.screen()).not.toContain('written');
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(100);
    await terminal.send('q');
    expect(await terminal.screen()).toBe('written meanwhile\n>');
  });

  test('is not opened where nothing is folded', async () => {
    const { terminal } = folding([]);
    await terminal.send(CTRL_O);
    await terminal.type('a');
    expect(await terminal.screen()).toBe('> a');
  });

  test('opens over a question, decides nothing, and gives it back as if it had just been drawn (G30)', async () => {
    const { terminal } = folding(rowsOf(30), { columns: 60, rows: 20 });
    const { device, clock, theme } = terminal;
    const asked = new TerminalChannel({ device, clock, theme, actor }).ask(
      [openInterrupt()],
      bankState(),
      never,
    );
    await terminal.arm();
    await terminal.send(CTRL_O);
    expect(await first(terminal)).toBe('row 0');
    await terminal.send('y');
    await terminal.clock.advance(2000);
    await terminal.send('q');
    await terminal.send('y');
    await terminal.clock.advance(100);
    expect(await terminal.screen()).toContain('Ignored: too soon. Pause, then press a key.');
    await terminal.press('y');
    expect(await asked).toMatchObject({ answer: { resolution: { action: 'restart' } } });
  });

  test('says that somebody asks meanwhile; the question is there, and not armed, when it is closed', async () => {
    const { terminal } = folding(rowsOf(30), { columns: 60, rows: 20 });
    const { device, clock, theme } = terminal;
    await terminal.send(CTRL_O);
    const asked = new TerminalChannel({ device, clock, theme, actor }).ask(
      [openInterrupt()],
      bankState(),
      never,
    );
    await terminal.arm();
    expect(await last(terminal)).toContain('1–19 of 30 · a question is waiting · ');
    await terminal.send('q');
    expect(await terminal.screen()).toContain('y approve');
    await terminal.send('y');
    await terminal.clock.advance(100);
    await terminal.press('n', KEYS.enter);
    expect(await asked).toMatchObject({ answer: { resolution: { action: 'reject' } } });
  });

  test('stays where a question is withdrawn below it', async () => {
    const { terminal } = folding(rowsOf(30));
    const { device, clock, theme } = terminal;
    const stop = new AbortController();
    const asked = new TerminalChannel({ device, clock, theme, actor }).ask(
      [openInterrupt()],
      bankState(),
      stop.signal,
    );
    await terminal.arm();
    await terminal.send(CTRL_O);
    stop.abort(new Error('answered elsewhere'));
    await asked;
    expect(await first(terminal)).toBe('row 0');
    await terminal.send('q');
    expect(await terminal.screen()).toBe('not answered: answered elsewhere\n>');
  });

  test('G28: is there again after Ctrl-Z', async () => {
    const { terminal } = folding(rowsOf(30));
    await terminal.send(CTRL_O);
    await terminal.send(' ');
    await terminal.send(KEYS.ctrlZ);
    expect(await first(terminal)).toBe('row 7');
    await terminal.send('q');
    expect(await last(terminal)).toBe('>');
  });

  test('is over with the terminal', async () => {
    const { terminal } = folding(rowsOf(30));
    await terminal.send(CTRL_O);
    terminal.close();
    await terminal.settle();
    expect(terminal.device.hungUp.aborted).toBe(true);
  });
});

describe('a search in a view', () => {
  async function searching(term: string, texts: readonly string[] = rowsOf(30)): Promise<TestTerminal> {
    const { terminal } = folding(texts);
    await terminal.send(CTRL_O);
    await terminal.send('/');
    await terminal.type(term);
    return terminal;
  }

  test('goes to the next row that has the term and the one before, around the ends', async () => {
    const terminal = await searching('ROW 1'.toLowerCase());
    expect(await last(terminal)).toBe('/row 1');
    await terminal.send('\r');
    const places = [await first(terminal)];
    for (const key of ['n', 'n', 'N', 'N', 'N']) {
      await terminal.send(key);
      places.push(await first(terminal));
    }
    expect(places).toEqual(['row 1', 'row 10', 'row 11', 'row 10', 'row 1', 'row 19']);
    expect(await last(terminal)).toContain(' · n next · N previous');
  });

  test('finds one after the other also on the last page, which does not move', async () => {
    const terminal = await searching('z', [...rowsOf(30), 'z 1', 'z 2', 'z 3']);
    await terminal.send('\r');
    for (const key of ['n', 'n', 'n']) await terminal.send(key);
    expect(await first(terminal)).toBe('row 26');
  });

  test('tells large letters apart where the term has some', async () => {
    const terminal = await searching('B', ['ab', 'aB', ...rowsOf(20)]);
    await terminal.send('\r');
    expect(await first(terminal)).toBe('aB');
  });

  test('says so where nothing is found, and is called off by Esc, which closes nothing', async () => {
    const terminal = await searching('no\u007f\u007fnone');
    await terminal.send('\r');
    expect(await last(terminal)).toContain('“none” not found');
    await terminal.send('/');
    await terminal.paste('pasted\nmore');
    expect(await last(terminal)).toBe('/pasted');
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(100);
    expect(await last(terminal)).toBe('1–7 of 30 · Space next page · q back · ↑↓ PgUp PgDn');
  });
});
