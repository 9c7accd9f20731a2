import { describe, expect, test } from 'vitest';

import { changesToBeginnings, nearNames } from '../../src/core/index.js';

describe('the names that may have been meant', () => {
  test('are the nearest ones, at most three, whatever their case', () => {
    expect(nearNames('Descripton', ['name', 'description', 'input'])).toEqual(['description']);
    expect(nearNames('tool1', ['tool9', 'tool', 'tool1x', 'tool12', 'other'])).toEqual([
      'tool9',
      'tool',
      'tool1x',
    ]);
    expect(nearNames('ab', ['abcd', 'abc'])).toEqual(['abc', 'abcd']);
  });

  test('are none where none is near, and none of a word that is too long to be one', () => {
    expect(nearNames('execute', ['name', 'effect'])).toEqual([]);
    expect(nearNames('a'.repeat(256), ['a'.repeat(256)])).toEqual([]);
  });
});

test('changes of one letter are counted for each beginning of a word', () => {
  expect(changesToBeginnings('', 'ab')).toEqual([0, 1, 2]);
  expect(changesToBeginnings('ab', '')).toEqual([2]);
  expect(changesToBeginnings('kitten', 'sitting')).toEqual([6, 6, 5, 4, 3, 3, 2, 3]);
});
