import { describe, expect, test } from 'vitest';

import type { Interrupt, NodeSource, SessionId, SessionSummary } from '../../src/core/index.js';
import { escapeText, shown } from '../../src/core/index.js';
import { createTheme, formatTable, inboxTable, sessionTable } from '../../src/render/index.js';
import { confirmation, limit } from './story.js';

const theme = createTheme({ colour: false });
const now = Date.parse('2026-01-02T04:00:00.000Z');

function summary(id: string, title: string, rest: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id: id as SessionId,
    title,
    status: 'done',
    waiting: 0,
    turns: 1,
    createdAt: '2026-01-01T04:00:00.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
    ...rest,
  };
}

describe('a table', () => {
  const columns = [
    { title: 'NAME', text: (row: readonly string[]) => row[0]!, narrows: 'cut' },
    { title: 'N', shown: (row: readonly string[]) => escapeText(row[1]!), align: 'right' },
    { title: 'TEXT', text: (row: readonly string[]) => row[2]!, narrows: 'cut' },
  ] as const;

  test('aligns columns by what they take on a screen, and escapes text', () => {
    const rows = [
      ['日本', '5', 'a\u001B[31m'],
      ['longer', '123', ''],
    ];
    expect(formatTable(rows, columns, { theme })).toBe(
      'NAME      N  TEXT\n日本      5  a\\u{1B}[31m\nlonger  123\n',
    );
    expect(formatTable(rows, columns, { theme, titles: false })).toBe(
      '日本      5  a\\u{1B}[31m\nlonger  123\n',
    );
  });

  test('cuts the widest column until it fits, and none below eight columns', () => {
    const rows = [['n'.repeat(12), '1', 't'.repeat(30)]];
    expect(formatTable(rows, columns, { theme, columns: 30 }).split('\n')).toEqual([
      'NAME          N  TEXT',
      `${'n'.repeat(12)}  1  ${'t'.repeat(12)}…`,
      '',
    ]);
    expect(formatTable(rows, columns, { theme, columns: 5 }).split('\n')[1]).toBe('nnnnnnn…  1  ttttttt…');
  });

  test('is broken at words in a column that wraps, and what stands beside it stays in its place', () => {
    const wrapping = [columns[0], { ...columns[2], narrows: 'wrap' }] as const;
    const rows = [
      ['one', '', 'asks the person a question'],
      ['two', '', 'short'],
    ];
    expect(formatTable(rows, wrapping, { theme, columns: 21 })).toBe(
      ['NAME  TEXT', 'one   asks the person', '      a question', 'two   short', ''].join('\n'),
    );
  });

  test('has a long text below its row where its column would be too narrow to read', () => {
    const wide = [
      { title: 'NAME', text: ({ name }: { name: string; text: string }) => name },
      {
        title: 'TEXT',
        text: ({ text }: { name: string; text: string }) => text,
        narrows: 'wrap' as const,
        below: true as const,
      },
    ];
    const rows = [
      { name: 'everything__get_annotated_message', text: 'Demonstrates how annotations can be used' },
      { name: 'echo', text: 'Echoes' },
    ];
    expect(formatTable(rows, wide, { theme, columns: 40 })).toBe(
      [
        'NAME',
        'everything__get_annotated_message',
        '  Demonstrates how annotations can be',
        '  used',
        'echo',
        '  Echoes',
        '',
      ].join('\n'),
    );
    expect(formatTable(rows.slice(1), wide, { theme, columns: 40 })).toBe('NAME  TEXT\necho  Echoes\n');
  });

  test('without rows is nothing', () => {
    expect(formatTable([], columns, { theme })).toBe('');
  });

  test('colours a cell with its padding', () => {
    const coloured = { theme: createTheme({ colour: true }), titles: false };
    const styled = [
      { title: 'A', text: String, style: () => coloured.theme.failure },
      { title: 'B', text: String },
    ];
    expect(formatTable(['x', 'yy'], styled, coloured)).toBe(
      '\u001B[31mx \u001B[39m  x\n\u001B[31myy\u001B[39m  yy\n',
    );
  });
});

test('the list of sessions has id, state, age and title, and turns where there is room', () => {
  const sessions = [
    summary('abc', 'Rent '.repeat(20).trim(), { status: 'waiting', waiting: 2, turns: 12 }),
    summary('abcdef', 'Taxes', { status: 'failed' }),
    summary('x', 'Old', { status: 'unreadable', updatedAt: '' }),
  ];
  expect(sessionTable(sessions, { theme, now, columns: 60 }).split('\n')).toEqual([
    'ID      STATE       AGE',
    'abc     waiting(2)  55 min ago',
    `  ${'Rent '.repeat(11).trim()}`,
    `  ${'Rent '.repeat(9).trim()}`,
    'abcdef  failed      55 min ago',
    '  Taxes',
    'x       unreadable  unknown',
    '  Old',
    '',
  ]);
  expect(sessionTable(sessions.slice(1), { theme, now }).split('\n')).toEqual([
    'ID      STATE       TURNS  AGE         TITLE',
    'abcdef  failed          1  55 min ago  Taxes',
    'x       unreadable      1  unknown     Old',
    '',
  ]);
});

test('a narrow list of sessions has the folder with the title, and no row is wider than it', () => {
  const sessions = [
    summary('01kb2m3n4p5q6r71', 'Fix the total in the cart', { folder: 'shop' }),
    summary('01kb2m3n4p5q6r72', '', { folder: 'bank' }),
  ];
  expect(sessionTable(sessions, { theme, now, columns: 40 }).split('\n')).toEqual([
    'ID                STATE  AGE',
    '01kb2m3n4p5q6r71  done   55 min ago',
    '  shop  Fix the total in the cart',
    '01kb2m3n4p5q6r72  done   55 min ago',
    '  bank  no messages yet',
    '',
  ]);
});

test('sessions of one title are told apart by their folders, and one that is open at its prompt is idle', () => {
  const sessions = [
    summary('a', 'Fix the total', { status: 'running', folder: '~/shop' }),
    summary('b', 'Fix the total', { status: 'running', idle: true, folder: '~/shop-2' }),
    summary('c', 'Fix the total', { status: 'done' }),
  ];
  expect(sessionTable(sessions, { theme, now, columns: 80 }).split('\n')).toEqual([
    'ID  STATE    AGE         FOLDER    TITLE',
    'a   running  55 min ago  ~/shop    Fix the total',
    'b   idle     55 min ago  ~/shop-2  Fix the total',
    'c   done     55 min ago            Fix the total',
    '',
  ]);
});

test('the state of a session has a colour of its own', () => {
  const sessions = (['waiting', 'failed', 'unreadable', 'running', 'done', 'interrupted'] as const).map(
    (status) => summary('a', '', { status }),
  );
  const table = sessionTable(sessions, { theme: createTheme({ colour: true }), now, titles: false });
  // oxlint-disable-next-line no-control-regex -- our own styles
  expect(table.split('\n').map((line) => /\u001B\[(\d+)m/.exec(line)?.[1])).toEqual([
    '33',
    '31',
    '31',
    '32',
    '2',
    '2',
    undefined,
  ]);
});

test('the inbox has interrupt, session, age, kind and what is asked', () => {
  const session = 'abc' as SessionId;
  const of = { session, title: 'Rent\u0007', folder: '/home/ann/rent' };
  const items = [
    { ...of, interrupt: confirmation('i1', 'a', 'pay\u0007', {}), asked: shown`amount: 2` },
    { ...of, session: 'x' as SessionId, title: '', interrupt: limit('i1'), asked: shown`turns` },
    { ...of, interrupt: limit('i2'), asked: shown`turns, and more words than a row has room for` },
  ];
  expect(inboxTable(items, { theme, now }).split('\n')).toEqual([
    'ID  SESSION  AGE         KIND          FOLDER          TITLE      QUESTION',
    'i1  abc      55 min ago  confirmation  /home/ann/rent  Rent\\u{7}  amount: 2',
    'i1  x        55 min ago  limit         /home/ann/rent             turns',
    'i2  abc      55 min ago  limit         /home/ann/rent  Rent\\u{7}  turns, and more words than a row has room for',
    '',
  ]);
  expect(inboxTable(items, { theme, now, columns: 50 }).split('\n')).toEqual([
    'Rent\\u{7}  /home/ann/rent  abc',
    '  i1  55 min ago  amount: 2',
    '  i2  55 min ago  turns, and more words than a row',
    '                  has room for',
    'no messages yet  /home/ann/rent  x',
    '  i1  55 min ago  turns',
    '',
  ]);
  expect(inboxTable(items, { theme, now, columns: 18 }).split('\n').slice(0, 3)).toEqual([
    'Rent\\u{7}',
    '/home/ann/rent',
    'abc',
  ]);
});

test('a title that says no more than a question of its session gives way to it', () => {
  const interrupt = confirmation('i1', 'a', 'transfer_money', {});
  const item = (session: string, title: string, words: string) => ({
    ...{ session: session as SessionId, title, folder: '~/rent', interrupt },
    asked: escapeText(words),
  });
  const asked = 'Transfer 200 to ABC123 · transfers above 100';
  const items = [
    item('a', 'transfer 200 to “ABC123”!', asked),
    item('b', 'Transfer 200 to ABC12', asked),
    item('c', 'Transfer 200 to ABC123 today', asked),
  ];
  expect(inboxTable(items, { theme, now, columns: 80 }).split('\n')).toEqual([
    '~/rent  a',
    `  i1  55 min ago  ${asked}`,
    'Transfer 200 to ABC12  ~/rent  b',
    `  i1  55 min ago  ${asked}`,
    'Transfer 200 to ABC123 today  ~/rent  c',
    `  i1  55 min ago  ${asked}`,
    '',
  ]);
  expect(inboxTable(items.slice(0, 1), { theme, now }).split('\n')[0]).toBe(
    'ID  SESSION  AGE         KIND          FOLDER  QUESTION',
  );
});

test('a timer and an event are told as what they are and not as questions, and an answer that was left (N12)', () => {
  const source = { type: 'node', nodeId: 'flow', visit: 1, phase: 'run' } as const;
  const waits = (id: string, more: Partial<NodeSource>, expiresAt?: string): Interrupt => ({
    ...limit(id),
    source: { ...source, ...more },
    ...(expiresAt !== undefined && { expiresAt }),
  });
  const nap = waits('i1', { operation: 'nap#1', wait: 'timer' }, 'never');
  const paid = waits('i2', { operation: 'paid#1', wait: 'event', event: 'paid' });
  const open = new Map<SessionId, readonly Interrupt[]>([
    ['a' as SessionId, [nap]],
    ['b' as SessionId, [nap, paid]],
    ['c' as SessionId, [nap, limit('i3')]],
  ]);
  const sessions = ['a', 'b', 'c'].map((id) => summary(id, 'x', { status: 'waiting', waiting: 2 }));
  const states = sessionTable(sessions, { theme, now, open }).split('\n').slice(1, 4);
  expect(states.map((row) => row.slice(4, row.indexOf('  ', 4)))).toEqual([
    'sleeps until unknown',
    'sleeps until unknown, waits for event paid',
    'waiting(1)',
  ]);
  const blank = summary('d', '', {});
  expect(sessionTable([blank], { theme, now }).split('\n')[1]).toMatch(/ {2}no messages yet$/u);
  const left = summary('d', 'x', { status: 'waiting', waiting: 1, unread: true });
  expect(sessionTable([left], { theme, now }).split('\n')[1]).toContain('  waiting(1), answer left  ');
  const items = [nap, paid].map((interrupt) => ({
    session: 'a' as SessionId,
    title: '',
    interrupt,
    asked: shown`x`,
  }));
  const kinds = inboxTable(items, { theme, now }).split('\n').slice(1, 3);
  expect(kinds.map((row) => /timer|event/u.exec(row)?.[0])).toEqual(['timer', 'event']);
});
