import { expect, test } from 'vitest';

import { decisionsOf } from '../../commands/report/index.js';
import type { StoredEvent } from '../../src/core/index.js';

test('an edit that others have to approve is told as a proposal, and has no time until which it counts', () => {
  const by = { type: 'person', name: 'bob', via: 'web' };
  const resolution = { action: 'restart', input: { amount: 99 } };
  const source = { type: 'tool', ref: 'c1', name: 'pay', input: { amount: 5 } };
  const events = [
    {
      seq: 3,
      event: {
        type: 'interrupt-raised',
        interrupt: { id: 'i1', kind: 'confirmation', source, payload: {}, digest: 'd', path: '' },
      },
    },
    {
      seq: 4,
      event: {
        ...{
          type: 'interrupt-resolved',
          id: 'i1',
          digest: 'd',
          resolution,
          by,
          resolvedAt: '2026-11-23T12:00:00.000Z',
        },
        ...{ proposal: true, validUntil: '2026-11-23T13:00:00.000Z' },
      },
    },
  ] as unknown as readonly StoredEvent[];
  expect(decisionsOf(events)[0]?.decided).toEqual({
    ...{ seq: 4, at: '2026-11-23T12:00:00.000Z', by, resolution },
    proposal: true,
  });
});
