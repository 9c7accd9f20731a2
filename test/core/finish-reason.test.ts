import { expect, test } from 'vitest';

import { isLegalToolName, unfinishedOf } from '../../src/core/index.js';

test('a reply that the model did not finish is told from one that it did', () => {
  const ends = ['stop', 'tool-use', 'length', 'refusal', 'context-window', 'paused', 'other'] as const;
  expect(ends.map(unfinishedOf)).toEqual([
    undefined,
    undefined,
    'cut',
    'refused',
    'context-full',
    undefined,
    undefined,
  ]);
});

test('`__proto__` is no legal name of a tool, and names like it are', () => {
  expect(['__proto__', '__proto', 'proto__', '__proto__2'].map(isLegalToolName)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
