import { shown, laidOut } from '../../src/core/index.js';
import { describe, expect, test } from 'vitest';

import { rowsWithin } from '../../src/render/index.js';

const FOREIGN = 'Q'.repeat(50);

describe('lines that are wider than the screen', () => {
  test('have no row that begins with the text which they quote', () => {
    expect(rowsWithin(laidOut(`why: ${FOREIGN}`), 20).split('\n')).toEqual([
      `why: ${'Q'.repeat(14)}`,
      `  ${'Q'.repeat(17)}`,
      `  ${'Q'.repeat(17)}`,
      `  ${'Q'.repeat(2)}`,
    ]);
  });

  test('go on behind the bar of what they quote', () => {
    const rows = rowsWithin(laidOut(`  │ ${FOREIGN}`), 24).split('\n');
    expect(rows).toHaveLength(3);
    expect(rows.every((row) => row.startsWith('  │ Q'))).toBe(true);
    expect(rows.map((row) => row.slice(4)).join('')).toBe(FOREIGN);
  });

  test('stay as they are where no width is known, as does each line that fits', () => {
    expect(rowsWithin(laidOut(`why: ${FOREIGN}`), undefined)).toBe(`why: ${FOREIGN}`);
    expect(rowsWithin(shown`a\n  b\n`, 20)).toBe('a\n  b\n');
  });
});
