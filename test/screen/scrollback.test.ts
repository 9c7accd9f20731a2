// The reader of scrollbacks finds what is wrong: each fault is planted once.
import { expect, test } from 'vitest';

import type { SessionEvent } from '../../src/core/index.js';
import {
  calls,
  confirmation,
  decides,
  modelSays,
  outputs,
  raises,
  starts,
  userSays,
} from '../render/story.js';
import { faultsOf } from './scrollback.js';

const command = (tag: string) => ({ command: `sh ${tag}.sh` });
const edit = { path: 'k03.js', oldText: 'a', newText: 'b' };
const [first, second, third] = [
  confirmation('i1', 'a', 'run_command', command('k01')),
  confirmation('i2', 'b', 'run_command', command('k02')),
  confirmation('i3', 'c', 'edit_file', edit),
];

const JOURNAL: readonly SessionEvent[] = [
  userSays('do it'),
  modelSays(
    'I begin.',
    calls('a', 'run_command', command('k01')),
    calls('b', 'run_command', command('k02')),
    calls('c', 'edit_file', edit),
    calls('d', 'read_file', { path: 'k04.js' }),
  ),
  raises(first),
  raises(second),
  raises(third),
  decides(first, { action: 'restart' }),
  decides(second, { action: 'reject', reason: 'no' }),
  starts('a', 'run_command', command('k01')),
  outputs('a', { exitCode: 0, output: 'k01 ends' }),
  decides(third, { action: 'restart' }),
  outputs('c', { line: 1 }),
  outputs('d', { fromLine: 1, toLine: 3, totalLines: 3 }),
  modelSays('That is all.'),
];

const ROWS: readonly string[] = [
  '> do it',
  '  I begin.',
  '✓ you approved  Run `sh k01.sh`',
  '✗ you rejected  Run `sh k02.sh`  “no”',
  '✓ Run `sh k01.sh` · exit 0',
  '    k01 ends',
  '✓ you approved  Edit k03.js  +1 −1',
  '    1 − a',
  '    1 + b',
  '✓ Read k04.js  3 lines',
  '  That is all.',
];

/** The rows with one in the place of others. */
const changed = (at: number, count: number, ...rows: readonly string[]): readonly string[] => [
  ...ROWS.slice(0, at),
  ...rows,
  ...ROWS.slice(at + count),
];

test('a scrollback in which each call stands once, with its own result, has no fault', () => {
  expect(faultsOf(ROWS, JOURNAL)).toEqual([]);
  // A result without a name, below its own decision.
  const below = ['✓ you approved  Run `sh k01.sh`', '  ✓ exit 0', '    k01 ends', ROWS[3] ?? ''];
  expect(faultsOf(changed(2, 4, ...below), JOURNAL)).toEqual([]);
});

test.for<readonly [string, readonly string[], readonly string[]]>([
  [
    'a decision that is told twice',
    changed(2, 1, ROWS[2] ?? '', ROWS[2] ?? ''),
    [
      'k01: 1 decisions, told 2 times',
      'stands there twice: ✓ you approved  Run `sh k01.sh`',
      'decision 2 is told of k01, and was made on k02',
    ],
  ],
  [
    'a decision that is not told',
    changed(3, 1),
    [
      'k02: 1 decisions, told 0 times',
      'k02: nothing tells of it',
      'decision 2 is told of k03, and was made on k02',
    ],
  ],
  [
    'a result without a name below another call',
    changed(4, 2, '  ✓ exit 0', '    k01 ends'),
    [
      'k01: its result is told 0 times',
      'k02: a result is told, and it did not run',
      'below “✗ you rejected  Run `sh k02.sh`  “no””:     k01 ends',
      '1 results below “✗ you rejected  Run `sh k02.sh`  “no””',
    ],
  ],
  ['a result that is told twice', changed(3, 0, '  ✓ exit 0'), ['k01: its result is told 2 times']],
  [
    'a result below no call',
    changed(2, 0, '  ✓ exit 0'),
    ['a result below no call:   ✓ exit 0, below “> do it”', '1 results below “> do it”'],
  ],
  [
    'a result that is not told',
    changed(9, 1),
    ['k04: its result is told 0 times', 'k04: nothing tells of it'],
  ],
  ['a change that is told twice', changed(9, 0, '    1 + b'), ['stands there twice:     1 + b']],
  ['a change that is not told', changed(7, 2), ['k03: its change is not told']],
  ['a text that is told twice', changed(10, 0, '  I begin.'), ['stands there 2 times:   I begin.']],
  ['a text that is not told', changed(10, 1), ['stands there 0 times:   That is all.']],
  [
    'decisions in another order',
    changed(2, 2, ROWS[3] ?? '', ROWS[2] ?? ''),
    ['decision 1 is told of k02, and was made on k01'],
  ],
  ['a row of a question', changed(4, 0, '┃ Run `sh k01.sh`'), ['a question was left: ┃ Run `sh k01.sh`']],
  [
    'the row of what is waited for',
    changed(4, 0, '⠙ Run `sh k01.sh` · 12 s · Esc stops'),
    ['the line of what is waited for was left: ⠙ Run `sh k01.sh` · 12 s · Esc stops'],
  ],
  [
    'the status, and an empty prompt',
    changed(4, 0, '>', 'ask · script:model · shop (main)'),
    ['a prompt was left: >', 'the status was left: ask · script:model · shop (main)'],
  ],
  [
    'keys and the words before them',
    changed(4, 0, 'y approve · e edit · n reject · ? more', 'Run this command?'),
    [
      'keys was left: y approve · e edit · n reject · ? more',
      'the words before a key was left: Run this command?',
    ],
  ],
])('%s is found', ([, rows, faults]) => {
  expect(faultsOf(rows, JOURNAL)).toEqual(faults);
});
