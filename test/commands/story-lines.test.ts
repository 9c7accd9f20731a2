import { describe, expect, test } from 'vitest';

import { storyLines } from '../../commands/running/story-lines.js';
import type { Entry, Message } from '../../src/core/index.js';
import { AppendList, emptyState } from '../../src/core/index.js';
import { openInterrupt } from '../human/terminal-harness.js';

const entry = (role: Message['role'], text: string): Entry => ({
  message: { role, content: [{ type: 'text', text }] },
});
const now = Date.parse('2026-01-01T02:00:00Z');

describe('the story of a session', () => {
  test('is what it is about, what waits since when, and the last words of both', () => {
    const state = {
      ...emptyState(),
      turns: 2,
      entries: AppendList.of([
        entry('user', 'Fix the discount in the cart'),
        entry('model', 'I will look.'),
        entry('user', 'Fix the total,\nand add a test'),
      ]),
      open: { message: entry('model', 'The discount is taken off after the tax.').message, calls: [] },
      asks: openInterrupt(),
    };
    expect(storyLines(state, { now })).toEqual([
      'Fix the discount in the cart · 2 turns · 1 open question, asked 2 h ago',
      '  you    Fix the total, and add a test',
      '  model  The discount is taken off after the tax.',
    ]);
  });

  test('has the last words in the order in which they were said, whoever was last', () => {
    const said = [
      entry('user', 'Fix the discount'),
      entry('model', 'Fixed.'),
      entry('user', 'And the total?'),
    ];
    const rows = (entries: readonly Entry[]) =>
      storyLines({ ...emptyState(), turns: 2, entries: AppendList.of(entries) }, { now });
    expect(rows(said)).toEqual(['Fix the discount · 2 turns', '  model  Fixed.', '  you    And the total?']);
    expect(rows(said.slice(0, 1))).toEqual(['Fix the discount · 2 turns', '  you    Fix the discount']);
    expect(rows([])).toEqual(['no messages yet · 2 turns']);
  });

  test('has no row that is wider than the screen, whatever was said', () => {
    const long = 'word '.repeat(200);
    const state = {
      ...emptyState(),
      entries: AppendList.of([entry('user', long), entry('model', `\u001b[2J${long}`)]),
    };
    const rows = storyLines(state, { now, columns: 60 });
    expect(rows.every((row) => row.length < 70)).toBe(true);
    expect(rows.join('')).not.toContain('\u001b');
  });
});
