import fc from 'fast-check';
import { expect, test } from 'vitest';

import { addedUp, sharesOf } from '../../commands/slash/session-use.js';
import { evolve } from '../../src/core/index.js';
import { modelSaid, stateAfter, userSaid } from '../helpers/events.js';

test('what fills the context adds up to what the provider counted', () => {
  const shares = fc.array(fc.tuple(fc.string(), fc.nat(1_000_000)), { minLength: 1 });
  fc.assert(
    fc.property(shares, fc.nat(1_000_000), (list, whole) => {
      const told = addedUp(list, whole);
      const sum = told.reduce((before, [, tokens]) => before + tokens, 0);
      expect(sum).toBe(list.every(([, tokens]) => tokens === 0) ? 0 : whole);
      expect(told.every(([, tokens]) => tokens >= 0)).toBe(true);
    }),
  );
});

test('a summary is told as one, and what it stands for is not counted again', () => {
  const said = stateAfter(userSaid('x'.repeat(400)), modelSaid([{ type: 'text', text: 'y'.repeat(40) }]));
  expect(sharesOf(said).slice(0, 2)).toEqual([
    ['your messages', 100],
    ['model messages', 10],
  ]);
  const summed = evolve(said, { type: 'context-compacted', from: 0, to: 1, summary: 'S.', decisions: [] });
  expect(sharesOf(summed).map(([name]) => name)).toEqual(['the summary of 1 message', 'model messages']);
});
