import { describe, expect, test } from 'vitest';

import { appliedChange, changeLines, changeRows, isFoldedChange } from '../../src/core/index.js';
import type { JsonValue, Resolution } from '../../src/core/index.js';
import { callInterrupt } from '../human/open-interrupt.js';

const SIGNS = { removed: '−', wrapped: '↪', gap: '⋯', ellipsis: '…' };
const APPROVED: Resolution = { action: 'restart' };

const diffOf = (...hunks: readonly string[]): string => `--- a/x\n+++ b/x\n${hunks.join('')}`;
const added = (from: number, count: number): string =>
  `@@ -${from},0 +${from},${count} @@\n${Array.from({ length: count }, (_, at) => `+${from + at}\n`).join('')}`;

function linesOf(diff: JsonValue, resolution = APPROVED, raisedBy: 'approval' | 'tool' = 'approval') {
  return appliedChange(callInterrupt({}, { payload: { diff }, raisedBy }), resolution);
}

function rowsOf(diff: string, columns = 80, more = {}): readonly string[] {
  return changeRows(linesOf(diff), columns, { ...SIGNS, ...more }).map(({ text }) => text);
}

describe('the change below a decision', () => {
  test('has the changed lines, one gap between those apart, and none around them', () => {
    const diff = diffOf('@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n-e\n+E\n', '@@ -20,3 +20,2 @@\n x\n-y\n z\n');
    expect(changeRows(linesOf(diff), 80, SIGNS)).toEqual([
      { tone: 'removed', text: '     2 − b' },
      { tone: 'added', text: '     2 + B' },
      { tone: 'own', text: '     ⋯' },
      { tone: 'removed', text: '     5 − e' },
      { tone: 'added', text: '     5 + E' },
      { tone: 'own', text: '     ⋯' },
      { tone: 'removed', text: '    21 − y' },
    ]);
  });

  test('is whole up to ten rows, and else its first piece and how many more there are', () => {
    expect(rowsOf(diffOf(added(1, 10)))).toHaveLength(10);
    const one = rowsOf(diffOf(added(1, 11)));
    expect([one.length, one.at(-1)]).toEqual([10, '    … 2 more rows']);
    const two = rowsOf(diffOf(added(1, 2), added(30, 40)), 80, { unfold: 'Ctrl-O' });
    expect(two).toEqual(['    1 + 1', '    2 + 2', '    … 41 more rows · Ctrl-O shows all']);
    expect([isFoldedChange(linesOf(diffOf(added(1, 10))), 80, SIGNS)]).toEqual([false]);
    expect([isFoldedChange(linesOf(diffOf(added(1, 11))), 80, SIGNS)]).toEqual([true]);
  });

  test('is safe, and breaks its lines itself', () => {
    const diff = diffOf(`@@ -1,1 +1,1 @@\n-\u001b[2J\n+${'x'.repeat(20)}\n`);
    expect(rowsOf(diff, 24)).toEqual([
      '    1 − \\u{1B}[2J',
      `    1 + ${'x'.repeat(15)}`,
      `      ↪ ${'x'.repeat(5)}`,
    ]);
  });

  test.for<[string, ReturnType<typeof linesOf>]>([
    ['that was rejected', linesOf(diffOf(added(1, 1)), { action: 'reject' })],
    ['of another input', linesOf(diffOf(added(1, 1)), { action: 'restart', input: {} })],
    ['that a body asked about', linesOf(diffOf(added(1, 1)), APPROVED, 'tool')],
    ['that cannot be read', linesOf('anything')],
    ['that is no text', linesOf(5)],
  ])('is none for one %s', ([, lines]) => {
    expect([lines, changeRows(lines, 80, SIGNS)]).toEqual([[], []]);
  });

  test('has in full what is around it, too', () => {
    const diff = diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n');
    expect(changeLines(linesOf(diff), SIGNS)).toEqual(['1   a', '2 − b', '2 + B', '3   c']);
  });
});
