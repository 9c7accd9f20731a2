import { describe, expect, test } from 'vitest';

import type { Actor, Interrupt, InterruptDraft, ResolutionAction, Terms } from '../../src/core/index.js';
import {
  deadlineOf,
  interruptId,
  isoTime,
  lasting,
  makeInterrupt,
  ROOT_PATH,
  termsProblems,
  timeOf,
  toolRef,
  validUntil,
} from '../../src/core/index.js';
import { ANN, AT } from '../helpers/events.js';

const NOON = timeOf('2026-01-01T12:00:00.000Z');
const about = { what: 'deploy', done: 'approved' } as const;
const age = { by: 'ann', at: isoTime(NOON), until: isoTime(NOON + 900_000) };

describe('a yes, at a start', () => {
  test.for<[string, Terms, string | undefined, number, readonly string[]]>([
    ['counts for the code that it named', { code: 'module:a' }, 'module:a', NOON, []],
    ['counts where nobody names code', {}, undefined, NOON, []],
    [
      'does not count for other code (rivals 5)',
      { code: 'module:a' },
      'module:b',
      NOON,
      ['the code of `deploy` has changed since it was approved'],
    ],
    [
      'does not count for code of which nobody says what it is',
      { code: 'module:a' },
      undefined,
      NOON,
      ['the code of `deploy` has changed since it was approved'],
    ],
    [
      'does not count for code that the question did not name',
      {},
      'module:b',
      NOON,
      ['the code of `deploy` has changed since it was approved'],
    ],
    [
      'does not count for another description of a server (connect 12)',
      { code: 'server:a' },
      'server:b',
      NOON,
      ['the description of `deploy` has changed since it was approved'],
    ],
    ['counts to its last millisecond', { age }, undefined, NOON + 900_000, []],
    [
      'does not count once its time is over (rivals 6)',
      { age },
      undefined,
      NOON + 900_001,
      ['approved by ann at 2026-01-01 12:00:00 UTC, valid until 12:15:00 UTC'],
    ],
    [
      'says both',
      { code: 'module:a', age: { ...age, until: '2026-01-02T00:00:00.000Z' } },
      'module:b',
      NOON + 86_400_000,
      [
        'the code of `deploy` has changed since it was approved',
        'approved by ann at 2026-01-01 12:00:00 UTC, valid until 2026-01-02 00:00:00 UTC',
      ],
    ],
    [
      'does not count where nobody can read its time',
      { age: { ...age, until: 'soon' } },
      undefined,
      NOON,
      ['approved by ann at 2026-01-01 12:00:00 UTC, valid until an invalid time'],
    ],
  ])('%s', ([, terms, code, at, lines]) => {
    expect(termsProblems(terms, { code, at }, about)).toEqual(lines);
  });
});

function question(more: Partial<InterruptDraft>): Interrupt {
  const source = {
    type: 'tool',
    ref: toolRef('c1'),
    name: 'deploy',
    input: null,
    raisedBy: 'approval',
  } as const;
  const draft: InterruptDraft = { kind: 'confirmation', source, payload: true, ...more };
  return makeInterrupt(draft, { id: interruptId('i1'), path: ROOT_PATH, raisedAt: AT });
}

const node = { type: 'node', nodeId: 'ok', visit: 1, phase: 'run' } as const;
const EXPIRES = { expiresAt: isoTime(timeOf(AT) + 60_000) };
const LASTS = { approvalLastsMs: 5_000 };
const CLOCK: Actor = { type: 'clock' };

describe('the time of an answer', () => {
  test.for<[string, Partial<InterruptDraft>, ResolutionAction, Actor, string | undefined]>([
    ['has no end without a deadline', {}, 'restart', ANN, undefined],
    ['ends with the question', EXPIRES, 'restart', ANN, EXPIRES.expiresAt],
    ['is what the question says', LASTS, 'restart', ANN, isoTime(timeOf(AT) + 5_000)],
    [
      'is what the question says, beside a deadline',
      { ...EXPIRES, ...LASTS },
      'continue',
      ANN,
      isoTime(timeOf(AT) + 5_000),
    ],
    ['of an output in the place of a call has no end', EXPIRES, 'respond', ANN, undefined],
    ['of a no has no end', EXPIRES, 'reject', ANN, undefined],
    ['of a retry has no end: it grants nothing', EXPIRES, 'retry', ANN, undefined],
    [
      'of data for a node ends with the question',
      { ...EXPIRES, kind: 'question', source: node },
      'respond',
      ANN,
      EXPIRES.expiresAt,
    ],
    [
      'that time gave has no end',
      { ...EXPIRES, kind: 'question', source: node },
      'respond',
      CLOCK,
      undefined,
    ],
    [
      'that came from outside as an event has no end',
      { ...EXPIRES, kind: 'question', source: { ...node, event: 'paid' } },
      'respond',
      ANN,
      undefined,
    ],
  ])('%s', ([, more, action, by, until]) => {
    expect(validUntil(question(more), { action, by, at: AT })).toBe(until);
  });

  test('is in the digest of its question where it says one', () => {
    expect(question(LASTS).digest).not.toBe(question({}).digest);
    expect(question(LASTS).digest).not.toBe(question({ approvalLastsMs: 6_000 }).digest);
  });

  test('is the shorter one of two that are said; one that nobody can read is told', () => {
    const said = (one: string | undefined, other: string | undefined): unknown =>
      lasting(one === undefined ? {} : { approvalLasts: one }, other).approvalLasts;
    expect([said('15m', '1h'), said('1h', '15m'), said(undefined, '2m'), said('2m', undefined)]).toEqual([
      '15m',
      '15m',
      '2m',
      '2m',
    ]);
    expect(said('soon', '2m')).toBe('soon');
    expect(() => deadlineOf({ approvalLasts: 'soon' })).toThrow(
      '`approvalLasts` must be a duration such as 90s, 30m or 2h, got `soon`',
    );
  });
});
