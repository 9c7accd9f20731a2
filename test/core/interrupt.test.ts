import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Interrupt, InterruptKind } from '../../src/core/index.js';
import { allowedActions, jsonEquals, makeInterrupt, nodePath } from '../../src/core/index.js';
import { inputs, jsonValues } from '../helpers/arbitraries.js';
import { interruptOf, limitReached } from '../helpers/events.js';

describe('an interrupt', () => {
  test('is complete: nothing else is needed to ask', () => {
    expect(interruptOf('pay', 'r1', { input: { amount: 1 }, payload: 'sure?' })).toEqual({
      id: 'i1',
      kind: 'confirmation',
      source: { type: 'tool', ref: 'r1', name: 'pay', input: { amount: 1 }, raisedBy: 'tool' },
      path: '',
      payload: 'sure?',
      allowed: ['restart', 'reject', 'respond', 'cancel'],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      raisedAt: '2026-01-01T00:00:00.000Z',
    } satisfies Record<
      keyof Omit<
        Interrupt,
        | 'answerSchema'
        | 'kept'
        | 'atOnce'
        | 'expiresAt'
        | 'onTimeout'
        | 'escalated'
        | 'approvers'
        | 'proposed'
        | 'approvalLastsMs'
        | 'bound'
        | 'edit'
        | 'inputSchema'
        | 'resumeSchema'
      >,
      unknown
    >);
  });

  test('takes what its raiser narrows the answers to', () => {
    expect(interruptOf('pay', 'r1', { draft: { allowed: ['cancel'] } }).allowed).toEqual(['cancel']);
  });
});

describe('the digest of what is shown (G11)', () => {
  test('is the same for equal inputs, whatever the order of their keys', () => {
    const digest = (input: object) => interruptOf('pay', 'r1', { input: input as never }).digest;
    expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }));
  });

  test('tells every two different inputs of a call apart', () => {
    fc.assert(
      fc.property(inputs(), inputs(), (left, right) => {
        const same =
          interruptOf('pay', 'r1', { input: left }).digest ===
          interruptOf('pay', 'r1', { input: right }).digest;
        expect(same).toBe(jsonEquals(left, right));
      }),
    );
  });

  test('differs by id, ref and name, so an answer fits one question only', () => {
    const digests = [
      interruptOf('pay', 'r1'),
      interruptOf('pay', 'r1', { id: 'i2' }),
      interruptOf('pay', 'r2'),
      interruptOf('say', 'r1'),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(4);
  });

  test('of the run itself is that of kind and payload', () => {
    const at = (payload: Interrupt['payload'], kind: InterruptKind = 'limit') => {
      const { id, raisedAt } = limitReached('turns');
      return makeInterrupt(
        { kind, source: { type: 'run' }, payload },
        { id, path: nodePath('a@1'), raisedAt },
      ).digest;
    };
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (left, right) => {
        expect(at(left) === at(right)).toBe(jsonEquals(left, right));
      }),
    );
    expect(at({}, 'pause')).not.toBe(at({}, 'limit'));
  });
});

describe('the actions that answer each kind', () => {
  test.for<[InterruptKind, string]>([
    ['question', 'respond'],
    ['confirmation', 'restart'],
    ['gate', 'continue'],
    ['pause', 'continue'],
    ['error', 'retry'],
    ['in-doubt', 'respond'],
    ['limit', 'extend'],
  ])('%s: the first is %s, and cancel is always there', ([kind, yes]) => {
    expect(allowedActions(kind)[0]).toBe(yes);
    expect(allowedActions(kind)).toContain('cancel');
  });

  test('a doubt is never answered with a restart, nor a question (law 7, case 61)', () => {
    // Leaving a node out and going back are answers to the error of a node, and to no other.
    expect(allowedActions('error', { type: 'tool' })).toEqual([
      'retry',
      'restart',
      'reject',
      'respond',
      'cancel',
    ]);
    expect(allowedActions('error', { type: 'node', phase: 'run' })).toEqual([
      'retry',
      'reject',
      'respond',
      'skip',
      'go-back',
      'cancel',
    ]);
    expect(allowedActions('in-doubt')).not.toContain('restart');
    expect(allowedActions('question')).not.toContain('restart');
  });
});
