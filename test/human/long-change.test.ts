import { describe, expect, test } from 'vitest';

import type { AskResult, Interrupt, RunState } from '../../src/core/index.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { questionView } from '../../src/human/index.js';
import type { TerminalChannelOptions } from '../../src/human/terminal/terminal.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { changeOf, editState, KEYS, testTerminal, transferMoney } from './terminal-harness.js';

const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** A person at a terminal who is asked about a change. */
function asked(
  interrupt: Interrupt,
  options: Partial<TerminalChannelOptions> = {},
  {
    state = editState(),
    size = { columns: 80, rows: 24 },
  }: { state?: RunState; size?: { columns: number; rows: number } } = {},
) {
  const terminal = testTerminal(size);
  const { device, clock } = terminal;
  const aside = () => Promise.resolve('answer' as const);
  const channel = new TerminalChannel({ device, clock, theme: plainTheme, actor, aside, ...options });
  const stop = new AbortController();
  const result = channel.ask([interrupt], state, stop.signal);
  return { terminal, result, stop };
}

const left = async ({ screen }: { screen(): Promise<string> }): Promise<string> =>
  (await screen()).match(/\d+ rows left to read/gu)?.at(-1) ?? 'none';
const answerOf = (result: AskResult) => (result.type === 'answered' ? result.answer : undefined);

const numbered = (count: number, word: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `const ${word}${at} = read${at}(input);`);

/** Lines of which every second block of so many is changed. */
const half = (lines: readonly string[], block: number): readonly string[] =>
  lines.map((line, at) => (Math.floor(at / block) % 2 === 1 ? line.replace('input', 'source') : line));

const LINES = numbered(150, 'a');
const WHOLLY = changeOf(
  numbered(60, 'a'),
  Array.from({ length: 60 }, (_, at) => `something else ${at} altogether`),
);

describe('a long change', () => {
  test('has old and new words in one line, folds what stays, and takes at most six keys where half of it stays', async () => {
    const { terminal, result } = asked(changeOf(LINES, half(LINES, 15)));
    await terminal.settle();
    const screen = await terminal.screen();
    expect(screen.split('\n').slice(0, 3)).toEqual([
      '┃ Edit a.txt  +75 −75',
      '┃    15   const a14 = read14(input);',
      '┃    16 ± const a15 = read15([-input-]{+source+});',
    ]);
    expect(screen).toContain('┃     ⋯   13 unchanged lines\n');
    let keys = 0;
    for (; (await left(terminal)) !== 'none'; keys += 1) await terminal.press(' ');
    await terminal.press('y');
    expect(answerOf(await result)?.resolution).toEqual({ action: 'restart' });
    expect(keys + 1).toBeLessThanOrEqual(6);
  });

  test('shows lines that have little in common one after the other', async () => {
    const { terminal, stop } = asked(WHOLLY);
    await terminal.settle();
    expect(await terminal.screen()).toContain('┃    1 − const a0 = read0(input);\n┃    2 − const a1');
    stop.abort(new Error('over'));
  });

  test('rows that were seen stay seen when it is put aside, and one goes on where one stopped', async () => {
    const { terminal, stop } = asked(WHOLLY);
    await terminal.press(' ');
    const before = await left(terminal);
    await terminal.press(KEYS.escape);
    await terminal.settle();
    const back = await terminal.screen();
    expect([before, /(\d+)–(\d+) of 120/u.exec(back)?.[0]]).toEqual(['80 rows left to read', '41–60 of 120']);
    await terminal.press('\u001b[H');
    expect(await left(terminal)).toBe('60 rows left to read');
    stop.abort(new Error('over'));
  });

  test('rows that were seen stay seen when the size comes back, and other rows do not count', async () => {
    const long = changeOf(numbered(60, 'name_of_something_that_is_long_'), numbered(60, 'x'));
    const { terminal, stop } = asked(long);
    await terminal.press(' ');
    expect(await left(terminal)).toBe('80 rows left to read');
    await terminal.resize(40, 12);
    expect(await left(terminal)).toBe('172 rows left to read');
    await terminal.resize(80, 24);
    expect(await left(terminal)).toBe('80 rows left to read');
    stop.abort(new Error('over'));
  });

  test('is approved unread by a word of its own, and what was not shown is told', async () => {
    const { terminal, result } = asked(WHOLLY);
    await terminal.press('y', KEYS.tab);
    expect(await terminal.screen()).toMatch(/80 rows left to read · Space shows more\nMake this edit\?$/u);
    expect(await terminal.screen()).toContain(
      'y read on · Tab yes, and… · e edit · n reject · w always… · u unread… · ? more',
    );
    await terminal.press('u');
    expect(await terminal.screen()).toMatch(
      /type approve: \n80 of 120 rows not shown · Enter approves it unread · Esc back$/u,
    );
    await terminal.type('yes');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toContain('Type “approve”, or Esc to read on');
    await terminal.press(KEYS.ctrlU);
    await terminal.type('approve');
    await terminal.press(KEYS.enter);
    const { id, digest } = WHOLLY;
    expect(answerOf(await result)).toEqual({
      id,
      digest,
      resolution: { action: 'restart' },
      by: actor,
      unread: { rows: 80, of: 120 },
    });
    expect((await terminal.screen()).split('\n')).toEqual([
      '✓ you approved  Edit a.txt  +60 −60  (80 of 120 rows not shown)',
    ]);
  });

  test('is changed before it was read, and what comes of it is read before it runs', async () => {
    const { terminal, result } = asked(WHOLLY);
    await terminal.press('e');
    expect(await terminal.screen()).toContain('1 of 3 · Enter next · Esc back');
    await terminal.press(KEYS.escape, KEYS.tab);
    expect(await terminal.screen()).toContain('rows left to read · Space shows more');
    await terminal.press('n', KEYS.enter);
    expect(answerOf(await result)?.resolution).toEqual({ action: 'reject' });
  });

  test('what was read whole needs no such word', async () => {
    const { terminal, result } = asked(WHOLLY);
    await terminal.press(' ', ' ', ' ', ' ', ' ', 'u');
    expect(await terminal.screen()).not.toContain('unread');
    await terminal.press('y');
    expect(answerOf(await result)).not.toHaveProperty('unread');
  });

  test.for<readonly [string, Interrupt, Partial<TerminalChannelOptions>, RunState]>([
    [
      'a warning is about it',
      changeOf(numbered(60, 'a'), numbered(60, 'b'), { warnings: ['runs later: a hook'] }),
      {},
      editState(),
    ],
    ['a rule asks about it', WHOLLY, { offersAlways: () => false }, editState()],
    [
      'a tool of somebody else makes it',
      WHOLLY,
      {},
      { ...editState(), agent: { model: 'demo', tools: [{ ...transferMoney, name: 'edit_file' }] } },
    ],
  ])('has to be read where %s', async ([, interrupt, options, state]) => {
    const { terminal, stop } = asked(interrupt, options, { state });
    await terminal.press('u');
    expect(await left(terminal)).not.toBe('none');
    expect(await terminal.screen()).not.toContain('unread');
    stop.abort(new Error('over'));
  });
});

test('a file that would be written with what it has already changes nothing, and says so', async () => {
  const { terminal, stop } = asked(changeOf(['same'], ['same']));
  await terminal.settle();
  expect((await terminal.screen()).split('\n').slice(0, 2)).toEqual([
    '┃ Edit a.txt',
    '┃ no change: the file already has this content',
  ]);
  stop.abort(new Error('over'));
});

test('what the change does not show of a text of the product’s own tool stands in the file', () => {
  const lines = numbered(40, 'a');
  const { brief } = questionView(changeOf(lines, lines.with(20, 'new')), editState(), { limits: null });
  expect(brief.all.filter(({ part }) => part === 'input')).toEqual([]);
});
