import { describe, expect, test } from 'vitest';

import { decisionsOf } from '../../commands/report/decisions.js';
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

test('an approval of what was not shown says how much of it was not', () => {
  const by = { type: 'person', name: 'ann', via: 'terminal' };
  const source = { type: 'tool', ref: 'c1', name: 'edit_file', input: {} };
  const interrupt = { id: 'i1', kind: 'confirmation', source, payload: {}, digest: 'd', path: '' };
  const resolved = { id: 'i1', digest: 'd', resolution: { action: 'restart' }, by, resolvedAt: 't' };
  const events = [
    { seq: 3, event: { type: 'interrupt-raised', interrupt } },
    { seq: 4, event: { type: 'interrupt-resolved', ...resolved, unread: { rows: 521, of: 600 } } },
  ] as unknown as readonly StoredEvent[];
  expect(decisionsOf(events)[0]?.decided?.unread).toEqual({ rows: 521, of: 600 });
});

describe('an approval that was not used', () => {
  const by = { type: 'person', name: 'ann', via: 'answer' };
  const at = '2026-11-23T12:00:00.000Z';
  const scope = '';
  const source = { type: 'tool', ref: 'c1', name: 'deploy', input: {}, raisedBy: 'approval' };
  const asked = (seq: number, id: string, code: string): object => ({
    ...{ seq, at, scope },
    event: {
      type: 'interrupt-raised',
      interrupt: {
        ...{ id, kind: 'confirmation', source, payload: true, digest: 'd', path: '', raisedAt: at },
        bound: { run: 's', tool: 't', code },
      },
    },
  });
  const approved = (seq: number, more: object = {}): object => ({
    ...{ seq, at, scope },
    event: {
      ...{ type: 'interrupt-resolved', id: 'i1', digest: 'd', by, resolvedAt: at },
      ...{ resolution: { action: 'restart' }, ...more },
    },
  });
  const other = (seq: number, event: object): object => ({ seq, at, scope, event });
  const standing = (...events: readonly object[]): unknown =>
    decisionsOf(events as unknown as readonly StoredEvent[])[0]?.standing;

  test.for([
    { event: {}, why: 'fork' },
    { event: { past: 'p' }, why: 'elsewhere' },
    { event: { past: 'p', restored: true }, why: 'restored' },
    { event: { past: 'p', lost: { seq: 9, mac: 'm', count: 1 } }, why: 'lost' },
  ])('is told as void where the history did not come along: $why', ({ event, why }) => {
    const voided = other(3, { type: 'approvals-voided', ...event });
    expect(standing(asked(1, 'i1', 'a'), approved(2), voided)).toEqual([{ type: 'void', seq: 3, at, why }]);
  });

  test('is told as void where other code, a later time or another plan was asked about instead', () => {
    const early = { validUntil: '2026-11-23T11:00:00.000Z' };
    const again = { type: 'void', seq: 3, at, again: 'i2' };
    expect(standing(asked(1, 'i1', 'a'), approved(2), asked(3, 'i2', 'b'))).toEqual([
      { ...again, why: 'code' },
    ]);
    expect(standing(asked(1, 'i1', 'a'), approved(2, early), asked(3, 'i2', 'a'))).toEqual([
      { ...again, why: 'time' },
    ]);
    expect(standing(asked(1, 'i1', 'a'), approved(2), asked(3, 'i2', 'a'))).toEqual([
      { ...again, why: 'plan' },
    ]);
  });

  test('is told as kept, by whom, and counts for the code that it was kept for', () => {
    const kept = other(3, { type: 'approvals-kept', kept: [{ was: 'a', now: 'b' }], by });
    const of = { type: 'kept', seq: 3, at, by };
    expect(standing(asked(1, 'i1', 'a'), approved(2), kept)).toEqual([of]);
    expect(standing(asked(1, 'i1', 'a'), approved(2), kept, asked(4, 'i2', 'c'))).toEqual([
      of,
      { type: 'void', seq: 4, at, why: 'code', again: 'i2' },
    ]);
  });

  test('is not told of once its call began, or ended, or where nobody approved', () => {
    const started = other(3, { type: 'tool-started', ref: 'c1', attempt: 1, input: {} });
    const settled = other(4, { type: 'tool-settled', ref: 'c1', outcome: { type: 'output', output: 1 } });
    const voided = other(5, { type: 'approvals-voided' });
    const no = { resolution: { action: 'reject' } };
    expect(standing(asked(1, 'i1', 'a'), approved(2), started, asked(4, 'i2', 'a'))).toBeUndefined();
    expect(standing(asked(1, 'i1', 'a'), approved(2), started, settled, voided)).toBeUndefined();
    expect(standing(asked(1, 'i1', 'a'), approved(2, no), voided)).toBeUndefined();
  });
});
