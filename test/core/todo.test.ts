import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { currentTodo, todoCount, todoItems } from '../../src/core/index.js';

describe('the steps of a model', () => {
  test('are read from the input of a call, and what is not a step is left out', () => {
    const items = [
      { text: 'a', state: 'done' },
      { text: 'b', state: 'doing' },
      { text: 'c' },
      { text: 'd', state: 'lost' },
      { text: 4 },
      'e',
      null,
    ];
    expect(todoItems({ items })).toEqual([
      { text: 'a', state: 'done' },
      { text: 'b', state: 'doing' },
      { text: 'c', state: 'open' },
      { text: 'd', state: 'open' },
    ]);
  });

  test('are none in whatever else a session may hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(todoItems(value as never)).toEqual([]);
        expect(todoItems({ items: value as never })).toBeInstanceOf(Array);
      }),
    );
  });

  test.for([
    [['done', 'doing', 'open'], 'b', '1 of 3 done'],
    [['done', 'open', 'open'], 'b', '1 of 3 done'],
    [['open', 'open', 'doing'], 'c', '0 of 3 done'],
    [['done', 'done', 'done'], undefined, '3 of 3 done'],
  ] as const)('%j are at %s', ([states, current, count]) => {
    const items = states.map((state, at) => ({ text: 'abc'.charAt(at), state }));
    expect(currentTodo(items)?.text).toBe(current);
    expect(todoCount(items)).toBe(count);
  });
});
