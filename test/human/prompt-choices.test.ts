import { describe, expect, test } from 'vitest';

import { askChoice } from '../../src/human/prompt/choice-prompt.js';
import { confirmOne, pickOne } from '../../src/human/prompt/pick-one.js';
import { viewWhole } from '../../src/human/prompt/view-whole.js';
import { KEYS, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;

function choosing(
  rows: readonly { label: string; answers?: string; description?: string }[],
  multiple = false,
  terminal = testTerminal(),
) {
  const asked = terminal.device.use(
    (held) =>
      askChoice(
        { terminal: held, clock: terminal.clock, theme: terminal.theme, leave: () => undefined },
        { message: 'Your choice:', rows, multiple, escape: 'for more' },
      ),
    never,
  );
  return { terminal, asked };
}

const colours = [{ label: 'red' }, { label: 'green', description: 'like grass' }, { label: 'blue' }];

describe('choices', () => {
  test('are chosen by their number; nothing is chosen at first', async () => {
    const { terminal, asked } = choosing(colours);
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toBe(
      '  1. red\n  2. green – like grass\n  3. blue\nPress 1, 2 or 3, or use ↑↓ and Enter\nYour choice:',
    );
    await terminal.press('2');
    expect(await asked).toEqual({ type: 'answered', value: [1] });
  });

  test('are chosen with the arrows, also around the ends', async () => {
    const { terminal, asked } = choosing(colours);
    await terminal.press(KEYS.down, KEYS.up);
    expect(await terminal.screen()).toContain('❯ 3. blue');
    await terminal.press(KEYS.down, KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [0] });
  });

  test('answer a letter that they do not know with the keys that there are', async () => {
    const one = choosing(colours);
    await one.terminal.press('x');
    expect(await one.terminal.screen()).toContain('Press 1, 2 or 3, or use ↑↓ and Enter');
    const several = choosing(colours, true);
    await several.terminal.press('x');
    expect(await several.terminal.screen()).toContain('number or Space selects · Enter sends\nYour choice:');
  });

  test('held arrows move on', async () => {
    const { terminal, asked } = choosing(colours);
    await terminal.arm();
    await terminal.send(KEYS.down + KEYS.down);
    await terminal.press(KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [1] });
  });

  test('of two digits are typed digit by digit; what there is not is said', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ label: `option ${index + 1}` }));
    const { terminal, asked } = choosing(rows);
    await terminal.press('0');
    expect(await terminal.screen()).toContain('Type a number from 1 to 12, or use ↑↓ and Enter');
    await terminal.press('1', '2');
    expect(await terminal.screen()).toContain('❯ 12. option 12');
    await terminal.press('9');
    expect(await terminal.screen()).toContain('❯ 9. option 9');
    await terminal.press(KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [8] });
  });

  test('several are marked by their numbers or with Space, and none is no answer', async () => {
    const { terminal, asked } = choosing(colours, true);
    await terminal.press(KEYS.down, KEYS.enter);
    expect(await terminal.screen()).toContain('Select at least one · number or Space selects · Enter sends');
    await terminal.press('3', '1', '2', '2', KEYS.down, ' ', ' ', KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [0, 2] });
  });

  test('of more than nine a digit may be the first of two: it moves, and Space marks', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ label: `option ${index + 1}` }));
    const { terminal, asked } = choosing(rows, true);
    await terminal.press('1', '2', ' ', KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [11] });
  });

  test('more than the screen holds scroll, with the message in sight', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({ label: `option ${index + 1}` }));
    const { terminal, asked } = choosing(rows, false, testTerminal({ columns: 60, rows: 14 }));
    await terminal.press('4', '0');
    const screen = await terminal.screen();
    expect([
      screen.includes('❯ 40. option 40'),
      screen.endsWith('Your choice: 40'),
      screen.split('\n').length,
    ]).toEqual([true, true, 13]);
    await terminal.press(KEYS.enter);
    expect(await asked).toEqual({ type: 'answered', value: [39] });
  });

  test('a label of many rows counts what it hides', async () => {
    const { terminal, asked } = choosing(
      [{ label: 'x'.repeat(1000) }, { label: 'short' }],
      false,
      testTerminal({ columns: 43, rows: 20 }),
    );
    await terminal.settle();
    expect(await terminal.screen()).toMatch(/⋯ \d+ characters hidden: Esc, then v ⋯\n[^]*2\. short/);
    await terminal.press('2');
    await asked;
  });

  test('what a choice answers is never folded, and is on the screen before it is taken', async () => {
    const answers = `"${'no '.repeat(60)}yes"`;
    const rows = [{ label: 'first' }, { label: 'Keep them', answers, description: 'long '.repeat(80) }];
    const { terminal, asked } = choosing(rows, false, testTerminal({ columns: 42, rows: 10 }));
    await terminal.press('2');
    expect(await terminal.screen()).toContain('The answer for this choice');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toContain('The answer for this choice');
    await terminal.press('1');
    expect(await asked).toEqual({ type: 'answered', value: [0] });
  });

  test('a choice that answers something else than its label is taken where it stands', async () => {
    const { terminal, asked } = choosing([{ label: 'Keep them', answers: '"delete"' }, { label: 'Other' }]);
    await terminal.settle();
    expect(await terminal.screen()).toContain('1. Keep them\n     → "delete"\n');
    await terminal.press('1');
    expect(await asked).toEqual({ type: 'answered', value: [0] });
  });

  test('G30: a number or an Enter that came too early, in a paste or with others chooses nothing', async () => {
    const { terminal, asked } = choosing(colours);
    await terminal.send('1');
    await terminal.send(KEYS.enter);
    await terminal.arm();
    await terminal.paste('1\r');
    await terminal.arm();
    await terminal.send('1\r');
    await terminal.arm();
    await terminal.clock.advance(5000);
    await terminal.settle();
    expect(await terminal.screen()).toBe(
      '  1. red\n  2. green – like grass\n  3. blue\nIgnored: several keys at once. Press one key.\nYour choice:',
    );
    await terminal.press('3');
    expect(await asked).toEqual({ type: 'answered', value: [2] });
  });

  test('follow the width of the screen', async () => {
    const { terminal, asked } = choosing([{ label: 'a label of some length' }, { label: 'b' }]);
    await terminal.settle();
    await terminal.resize(20, 20);
    expect(await terminal.screen()).toMatch(/^ {2}1\. a label of *\n {5}some length\n {2}2\. b\n/);
    await terminal.press('1');
    await asked;
  });

  test('Esc goes back', async () => {
    const { terminal, asked } = choosing(colours);
    await terminal.press(KEYS.escape);
    expect(await asked).toEqual({ type: 'back' });
  });
});

describe('a list that is searched', () => {
  const rows = [
    { facts: ['waiting(2)', 'just now'], text: 'Send money to Ann', words: '01kaaa', value: 'a' },
    {
      facts: ['done', '17 min ago'],
      text: 'Plan a \u001b[2Jbarbecue for all who come on Saturday afternoon, with what each one brings, and who drives',
      below: ['? How many people will come?'],
      words: '01kbbb',
      value: 'b',
    },
  ];
  const picking = (terminal = testTerminal()) => ({
    terminal,
    picked: pickOne(terminal, { message: 'Which session?', rows }, never),
  });

  test('narrows while a person types, and gives the row', async () => {
    const { terminal, picked } = picking();
    await terminal.press('b', 'b', 'b');
    const screen = await terminal.screen();
    expect([screen.includes('barbecue'), screen.includes('Ann')]).toEqual([true, false]);
    expect(screen).toContain('\\u{1B}[2J');
    await terminal.press(KEYS.enter);
    expect(await picked).toBe('b');
  });

  test('has its columns below each other, and breaks a text at words in its own', async () => {
    const { terminal, picked } = picking();
    await terminal.settle();
    expect((await terminal.screen()).split('\n').slice(0, 6)).toEqual([
      'Which session?',
      '❯ waiting(2)  just now    Send money to Ann',
      '  done        17 min ago  Plan a \\u{1B}[2Jbarbecue for all who come on',
      '                          Saturday afternoon, with what each one brings, and…',
      '                          ? How many people will come?',
      '',
    ]);
    await terminal.press(KEYS.escape);
    await picked;
  });

  test('gives nothing when it is left', async () => {
    for (const key of [KEYS.escape, KEYS.ctrlC, KEYS.ctrlD]) {
      const { terminal, picked } = picking();
      await terminal.press(key);
      expect(await picked).toBeUndefined();
      expect(terminal.isRaw()).toBe(false);
    }
  });

  test('is withdrawn by its signal', async () => {
    const terminal = testTerminal();
    const controller = new AbortController();
    const picked = pickOne(terminal, { message: 'Which?', rows }, controller.signal);
    await terminal.settle();
    controller.abort(new Error('gone'));
    await expect(picked).rejects.toThrow('gone');
  });
});

describe('one question of our own', () => {
  const confirming = (terminal = testTerminal()) => ({
    terminal,
    confirmed: confirmOne(terminal, { message: 'Delete it?', yes: 'delete', no: 'keep' }, never),
  });

  test.for([
    ['y', true],
    ['n', false],
    [KEYS.escape, false],
    [KEYS.ctrlC, false],
  ] as const)('%j means %j', async ([key, expected]) => {
    const { terminal, confirmed } = confirming();
    await terminal.press(key);
    expect(await confirmed).toBe(expected);
  });
});

describe('the whole view', () => {
  function viewing(rows: number, terminal = testTerminal({ columns: 40, rows: 10 })) {
    const text = Array.from({ length: rows }, (_, index) => `row ${index}`);
    const seen = terminal.device.use(
      (held) =>
        viewWhole(
          { terminal: held, clock: terminal.clock, theme: terminal.theme, leave: () => undefined },
          () => text,
        ),
      never,
    );
    return { terminal, seen };
  }

  test('of what fits is complete at once', async () => {
    const { terminal, seen } = viewing(5);
    await terminal.settle();
    expect(await terminal.screen()).toBe(
      'row 0\nrow 1\nrow 2\nrow 3\nrow 4\n1–5 of 5 · q back · ↑↓ PgUp PgDn',
    );
    await terminal.send('q');
    expect(await seen).toBe(true);
    expect(await terminal.screen()).toBe('');
  });

  test.for([
    ['page by page', [' ', ' ', ' '], true],
    ['row by row', [...Array.from({ length: 21 }, () => KEYS.down)], true],
    ['to the half', [' '], false],
    ['by a jump to the end', [KEYS.end], false],
    [
      'by a jump, and then page by page',
      [KEYS.end, '\u001b[H', '\u001b[6~', '\u001b[5~', 'j', 'k', ' ', ' ', ' '],
      true,
    ],
  ] as const)('%s', async ([, keys, complete]) => {
    const { terminal, seen } = viewing(30);
    for (const key of keys) await terminal.send(key);
    await terminal.send('q');
    expect(await seen).toBe(complete);
  });

  test('on another width starts again, unless it was complete', async () => {
    const { terminal, seen } = viewing(30);
    await terminal.send(' ');
    await terminal.resize(30, 10);
    expect((await terminal.screen()).split('\n')[0]).toBe('row 0');
    await terminal.send('q');
    expect(await seen).toBe(false);
  });

  test('G28: is there again after Ctrl-Z', async () => {
    const { terminal, seen } = viewing(30);
    await terminal.send(' ');
    await terminal.send(KEYS.ctrlZ);
    expect((await terminal.screen()).split('\n')[0]).toBe('row 9');
    await terminal.paste('x');
    await terminal.send('v');
    expect(await seen).toBe(false);
  });

  test('is closed when the question is withdrawn', async () => {
    const terminal = testTerminal();
    const controller = new AbortController();
    const seen = terminal.device.use(
      (held) =>
        viewWhole(
          { terminal: held, clock: terminal.clock, theme: terminal.theme, leave: () => undefined },
          () => ['a'],
        ),
      controller.signal,
    );
    await terminal.settle();
    controller.abort(new Error('gone'));
    await expect(seen).rejects.toThrow('gone');
    expect(await terminal.screen()).toBe('');
  });
});
