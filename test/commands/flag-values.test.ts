import { expect, test } from 'vitest';

import { stateEntry } from '../../commands/flags/flag-values.js';

test('`--set` adds a key to what the run begins with', () => {
  expect(stateEntry('limit=3', { topic: 'prices' })).toEqual({ topic: 'prices', limit: 3 });
});

test.for(['_x', 'graph_state', '__proto__', 'constructor', 'prototype'])(
  '`--set` refuses the reserved key %s',
  (key) => {
    expect(() => stateEntry(`${key}=1`)).toThrow(`the key \`${key}\` is reserved`);
  },
);
