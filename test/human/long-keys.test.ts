import { describe, expect, test } from 'vitest';

import { columnsOf } from '../../src/core/index.js';
import type { FoldLimits } from '../../src/human/index.js';
import { questionView } from '../../src/human/index.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { questionRows } from '../../src/human/look/terminal-look.js';
import { callInterrupt, stateWith } from './open-interrupt.js';

const KEY = 'Q'.repeat(2_000);

function rowsOf(key: string, limits: FoldLimits | null): readonly string[] {
  const view = questionView(callInterrupt({ command: 'rm -rf ~', [key]: true }), stateWith(), { limits });
  return questionRows(view.lines, 80, plainTheme);
}

describe('a long key of an input', () => {
  test('is wrapped behind the gutter where everything is shown', () => {
    const rows = rowsOf(KEY, null);
    expect(rows.every((row) => columnsOf(row) < 80)).toBe(true);
    expect(rows.filter((row) => row.startsWith('Q'))).toEqual([]);
    const whole = rows.filter((row) => row.startsWith('│ Q')).map((row) => row.slice(2));
    expect(whole.join('')).toBe(`${KEY}:`);
  });

  test('is folded with its count, and the whole view is required', () => {
    const limits = { maxRows: Number.MAX_SAFE_INTEGER, maxLines: 6, maxCharacters: 240 };
    const view = questionView(callInterrupt({ command: 'rm -rf ~', [KEY]: true }), stateWith(), { limits });
    expect(view.fullViewRequired).toBe(true);
    expect(view.hidden).toEqual({ lines: 0, characters: 1_760 });
    expect(rowsOf(KEY, limits)).toContain('│ ⋯ 1,760 characters hidden ⋯');
  });

  test('does not begin a row of a warning', () => {
    const rows = rowsOf(`${'Q'.repeat(400)}\u200b`, null);
    expect(rows.filter((row) => row.includes('invisible characters'))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith('Q'))).toEqual([]);
  });
});

test('a number of 22 digits is shown with all of them', () => {
  const view = questionView(callInterrupt({ amount: 1e21 }), stateWith());
  expect(view.lines.find(({ part, label }) => part === 'input' && label !== undefined)).toMatchObject({
    text: '1000000000000000000000',
  });
  expect(view.warnings).toEqual([
    { kind: 'precision', message: '1000000000000000000000 loses precision (too large)', place: 'amount' },
  ]);
});
