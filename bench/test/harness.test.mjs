import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { Budget } from '../harness/budget.mjs';
import { atLeast, atMost, goalCount, goalTable } from '../harness/goals.mjs';
import { readOptions } from '../harness/options.mjs';
import { inRounds } from '../harness/rounds.mjs';
import { median, summary, thirds } from '../harness/statistics.mjs';
import { cell, figure, spread, table } from '../harness/table.mjs';

/** Rounds of measures whose numbers are written down; `undefined` is a measure that may not be taken. */
function rounds(numbers, options = {}) {
  const taken = [];
  const run = async ({ id }) => {
    taken.push(id);
    const own = numbers[id].shift();
    assert.ok(own, `${id} was measured once too often`);
    return own;
  };
  const measures = Object.keys(numbers).map((id) => ({ id, ...options.of?.[id] }));
  const budget = options.budget ?? new Budget(Infinity);
  return inRounds(measures, { rounds: options.rounds ?? 1, budget, boxMs: 1000, run }).then((measured) => ({
    measured,
    taken,
  }));
}

describe('statistics', () => {
  test('the median is the middle one, or the mean of the two in the middle', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.equal(median([10, 9, 100]), 10);
  });

  test('a summary has the least and the greatest', () => {
    assert.deepEqual(summary([5, 1, 3]), { median: 3, min: 1, max: 5 });
  });

  test('a series is told by the medians of its first, middle and last tenth', () => {
    const series = Array.from({ length: 30 }, (_, n) => n);
    assert.deepEqual(thirds(series), { first: 1, middle: 14, last: 28 });
    assert.deepEqual(thirds([7]), { first: 7, middle: 7, last: 7 });
  });
});

describe('rounds', () => {
  test('begin each with another measure', async () => {
    const { taken } = await rounds({ a: [{}, {}], b: [{}, {}] }, { rounds: 2 });
    assert.deepEqual(taken, ['a', 'b', 'b', 'a']);
  });

  test('take a ratio within a round, and the median of the ratios', async () => {
    const { measured } = await rounds(
      { ours: [{ ms: 1 }, { ms: 10 }, { ms: 3 }], other: [{ ms: 2 }, { ms: 100 }, { ms: 3 }] },
      { rounds: 3 },
    );
    assert.equal(measured.ratio('ours', 'ms', 'other'), 0.5);
    assert.deepEqual(measured.of('ours', 'ms'), { median: 3, min: 1, max: 10 });
  });

  test('compare with the least of that round, whichever it is', async () => {
    const { measured } = await rounds(
      { ours: [{ ms: 1 }, { ms: 1 }], a: [{ ms: 2 }, { ms: 8 }], b: [{ ms: 4 }, { ms: 4 }] },
      { rounds: 2 },
    );
    assert.equal(measured.ratioToLeast('ours', 'ms', ['a', 'b']), (1 / 2 + 1 / 4) / 2);
  });

  test('measure what was stopped or failed no second time, and say what it told', async () => {
    const numbers = {
      slow: [{ ms: 7, over: 30 }],
      bad: [{ failed: 'Error: no' }],
      good: [{ ms: 1 }, { ms: 2 }],
    };
    const { measured } = await rounds(numbers, { rounds: 2 });
    assert.equal(cell(measured, 'slow', 'ms'), 'over 30.0 s, 7.00 by then');
    assert.equal(cell(measured, 'slow', 'other'), 'over 30.0 s');
    assert.equal(cell(measured, 'bad', 'ms'), 'Error: no');
    assert.equal(cell(measured, 'good', 'ms'), '1.50');
    assert.equal(measured.ratio('good', 'ms', 'bad'), undefined);
    assert.equal(measured.count, 2);
  });

  test('measure only in the first rounds what says so', async () => {
    const { taken } = await rounds({ a: [{}, {}], once: [{}] }, { rounds: 2, of: { once: { rounds: 1 } } });
    assert.deepEqual(taken, ['a', 'once', 'a']);
  });

  test('are whole the first time, and not begun again without time', async () => {
    const { taken } = await rounds({ a: [{}], b: [{}] }, { rounds: 3, budget: new Budget(0) });
    assert.deepEqual(taken, ['a', 'b']);
  });
});

describe('a budget', () => {
  test('leaves to later parts what an earlier one did not need', () => {
    let now = 0;
    const budget = new Budget(100, () => now);
    const part = budget.part(0.5);
    assert.ok(part.has(50));
    assert.ok(!part.has(51));
    now = 20;
    assert.ok(budget.part(1).has(80));
  });
});

describe('goals', () => {
  const goals = [
    atMost('ms', 24, 12),
    atMost('times', 1.2, 1.2),
    atLeast('times as fast', 9, 45),
    atMost('nothing', undefined, 1),
  ].map((goal) => ({ section: 'A', ...goal }));

  test('are met, or missed by so much, or not measured', () => {
    assert.deepEqual(
      goalTable(goals)
        .split('\n')
        .slice(2)
        .map((line) => line.replaceAll(/ +/g, ' ')),
      [
        '| A | ms | ≤ 12.0 | 24.0 | MISSED, 2.00 times as much |',
        '| A | times | ≤ 1.20 | 1.20 | met |',
        '| A | times as fast | ≥ 45.0 | 9.00 | MISSED, 0.200 of it |',
        '| A | nothing | ≤ 1.00 | - | not measured |',
      ],
    );
  });

  test('are counted', () => {
    assert.equal(goalCount(goals), '4 goals: 1 met, 2 missed, 1 not measured');
  });
});

describe('tables', () => {
  test('show three digits that matter', () => {
    assert.deepEqual([0, 0.00123, 0.5, 12.345, 12_345.6, undefined, NaN].map(figure), [
      '0',
      '0.0012',
      '0.500',
      '12.3',
      '12,346',
      '-',
      '-',
    ]);
  });

  test('show what a median varied between', () => {
    assert.equal(spread({ median: 2, min: 1, max: 3 }), '2.00 (1.00 to 3.00)');
    assert.equal(spread({ median: 2, min: 2, max: 2 }), '2.00');
  });

  test('have columns as wide as their widest cell', () => {
    assert.equal(
      table([
        ['', 'ms'],
        ['long name', '1'],
      ]),
      '|           | ms  |\n| --------- | --- |\n| long name | 1   |',
    );
  });
});

describe('options', () => {
  test('are in milliseconds, and give more time to a run with peers', () => {
    const { budgetMs, boxMs, rounds: count, only } = readOptions(['--only', 'a,b', '--box', '5']);
    assert.deepEqual(
      { budgetMs, boxMs, count, only },
      { budgetMs: 720_000, boxMs: 5000, count: 3, only: ['A', 'B'] },
    );
    assert.equal(readOptions(['--peers']).budgetMs, 1_800_000);
    assert.equal(readOptions(['--peers', '--budget', '2']).budgetMs, 120_000);
  });

  for (const argv of [
    ['--rounds', '0'],
    ['--rounds', '1.5'],
    ['--budget', 'x'],
    ['--box', '-1'],
  ]) {
    test(`refuse ${argv.join(' ')}`, () => {
      assert.throws(() => readOptions(argv), new RegExp(argv[0]));
    });
  }
});

describe('a server that a measure needs', () => {
  test('ends with the process that started it, however that ends', { timeout: 20_000 }, async () => {
    const server = new URL('../../tools/child-server.mjs', import.meta.url);
    const starts = `
      import { spawn } from 'node:child_process';
      import { endsWithUs } from ${JSON.stringify(server.href)};
      const child = spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'ignore'] });
      endsWithUs(child);
      process.stdout.write('started');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', starts], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    // The output is open as long as the child has it.
    await once(parent.stdout, 'end');
  });
});
