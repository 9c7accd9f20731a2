import { describe, expect, test } from 'vitest';

import { oneLine, rowText } from '../../scripts/attack/report.js';
import { selectRows } from '../../scripts/attack/select.js';
import type { Result, Verdict } from '../../scripts/attack/verdict.js';
import {
  broken,
  held,
  heldUnless,
  premise,
  skipped,
  statusOf,
  summaryOf,
  verdictOfError,
} from '../../scripts/attack/verdict.js';

const ROWS = ['C1', 'H1a', 'H1b', 'H11', 'D3', 'D3b'].map((id) => ({ id }));

function results(...verdicts: readonly Verdict[]): readonly Result[] {
  return verdicts.map((verdict, index) => ({ id: `C${index + 1}`, tried: 'something', verdict, ms: 1 }));
}

describe('the rows of an attack', () => {
  test('are all of them where nothing is picked', () => {
    expect(selectRows(ROWS, undefined)).toBe(ROWS);
  });

  test.for([
    ['C1', ['C1']],
    ['H1', ['H1a', 'H1b']],
    ['H', ['H1a', 'H1b', 'H11']],
    ['D3', ['D3', 'D3b']],
    ['D3b, C1', ['C1', 'D3b']],
  ] as const)('are picked by `%s`, in the order of the table', ([only, ids]) => {
    expect(selectRows(ROWS, only).map(({ id }) => id)).toEqual(ids);
  });

  test.for(['H2', 'C1,X9', '', 'h1', '1'])('are not picked by `%s`, which names nothing', (only) => {
    expect(() => selectRows(ROWS, only)).toThrow('no row is called');
  });
});

describe('the verdict of an attack', () => {
  test('is broken by any objection, and says all of them', () => {
    expect(heldUnless([], 'seen')).toEqual({ type: 'held', evidence: 'seen' });
    expect(heldUnless(['one', 'two'], 'seen')).toEqual({ type: 'broken', evidence: 'one; two' });
  });

  test('is broken where its premise fails: nothing was shown then', () => {
    const attempt = () => {
      premise(false, 'no question came');
    };
    expect(attempt).toThrow('no question came');
    expect(verdictOfError(new Error('no question came'))).toEqual({
      type: 'broken',
      evidence: 'could not be tried: no question came',
    });
  });

  test.for([
    [results(held(''), held('')), '2 held, 0 broken', 0],
    [results(held(''), skipped('no bwrap')), '1 held, 0 broken, 1 skipped', 0],
    [results(held(''), broken('')), '1 held, 1 broken', 1],
    [results(skipped('')), '0 held, 0 broken, 1 skipped', 1],
    [results(), '0 held, 0 broken', 1],
  ] as const)('of %j is counted in the last line and in the status', ([rows, line, status]) => {
    expect([summaryOf(rows), statusOf(rows)]).toEqual([line, status]);
  });
});

describe('a row of text', () => {
  test('shows what a terminal would act on, on one line that is cut where it is long', () => {
    expect(oneLine('a\n\n b\u001b[2J\u202e')).toBe('a ⏎ b\\u{1b}[2J\\u{202e}');
    expect(oneLine('x'.repeat(400))).toBe(`${'x'.repeat(300)}…`);
  });

  test('has number, what was tried, and the verdict with its evidence', () => {
    const [row] = results(broken('it ran'));
    expect(row && rowText(row)).toBe('C1    something\n      broken: it ran\n');
    const [other] = results(held(''));
    expect(other && rowText(other)).toBe('C1    something\n      held\n');
  });
});
