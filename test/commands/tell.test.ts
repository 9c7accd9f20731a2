import { laidOut } from '../../src/core/index.js';
import { expect, test } from 'vitest';

import { tell } from '../../commands/host/log-lines.js';

const LINE =
  'hint: review it, then add --trust; packages that they import are not looked at, and `hitl resume 0` goes on';

function told(lines: string, columns?: number): readonly string[] {
  let written = '';
  tell({ write: (text) => (written += text), columns }, laidOut(lines));
  return written.split('\n').map((row) => row.trimEnd());
}

test('what the program says to a person is broken at words, and what goes on hangs below it', () => {
  expect(told(`error: it is not trusted\n${LINE}`, 40)).toEqual([
    'error: it is not trusted',
    'hint: review it, then add --trust;',
    '  packages that they import are not',
    '  looked at, and `hitl resume 0` goes',
    '  on',
    '',
  ]);
});

test.for([undefined, 0])('a stream of %j columns gets what is said as it is', (columns) => {
  expect(told(LINE, columns)).toEqual([LINE, '']);
});
