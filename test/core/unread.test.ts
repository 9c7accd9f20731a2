import { describe, expect, test } from 'vitest';

import type { Actor, Interrupt, InterruptDraft, Resolution } from '../../src/core/index.js';
import { interruptProblem, mayBeUnread, unreadWords } from '../../src/core/index.js';
import { changeOf, openInterrupt } from '../human/terminal-harness.js';

const ANN: Actor = { type: 'person', name: 'ann', via: 'terminal' };
const YES: Resolution = { action: 'restart' };
const UNREAD = { rows: 521, of: 600 };
const CHANGE = changeOf(['old'], ['new']);

const change = (draft: Partial<InterruptDraft> & { readonly warnings?: readonly string[] }): Interrupt =>
  changeOf(['old'], ['new'], draft);

describe('U1: a question is approved unread', () => {
  test.for<readonly [string, Interrupt]>([
    ['a call of another kind', openInterrupt()],
    ['a change that a warning is about', change({ warnings: ['runs later: a hook'] })],
    ['a change that named people agree to', change({ approvers: { from: ['ann'] } })],
    ['a change that two people agree to', change({ approvers: { need: 2 } })],
    [
      'a change that somebody proposed',
      change({ proposed: { by: { issuer: '', subject: 'b', name: 'b' } } }),
    ],
    ['a change that runs with another input only', change({ edit: 'required' })],
    ['a change that may not run', change({ allowed: ['reject', 'cancel'] })],
    ['a failed change', change({ kind: 'error' })],
    ['a change that is told in bytes', change({ payload: { facts: { change: 'replaces 3 bytes' } } })],
    ['a change that cannot be read', change({ payload: { diff: 'no diff' } })],
  ])('never where it is %s', ([, interrupt]) => {
    const { digest } = interrupt;
    const problem = interruptProblem(interrupt, { digest, resolution: YES, by: ANN, unread: UNREAD });
    expect([mayBeUnread(interrupt), problem?.kind]).toEqual([false, 'not-allowed']);
  });

  test('where a change of a file is asked about, by the person at its terminal', () => {
    const { digest } = CHANGE;
    expect(interruptProblem(CHANGE, { digest, resolution: YES, by: ANN, unread: UNREAD })).toBeUndefined();
    const others: readonly Actor[] = [
      { type: 'person', name: 'ann', via: 'web' },
      { type: 'person', name: 'ann', via: 'answer' },
      { type: 'script', name: 'run', via: 'stdin' },
      { type: 'rule', rule: 'allow edit_file' },
    ];
    for (const by of others)
      expect(interruptProblem(CHANGE, { digest, resolution: YES, by, unread: UNREAD })?.message).toBe(
        '`edit_file#r9` (i9) cannot take this: the whole request must be shown first',
      );
  });

  test.for<readonly [string, Resolution]>([
    ['an edit', { action: 'restart', input: { path: 'b.txt' } }],
    ['a rejection', { action: 'reject' }],
    ['a result', { action: 'respond', output: 'x' }],
  ])('but by no other answer: %s', ([, resolution]) => {
    const { digest } = CHANGE;
    const problem = interruptProblem(CHANGE, { digest, resolution, by: ANN, unread: UNREAD });
    expect(problem?.kind).toBe('not-allowed');
  });

  test.for([
    { rows: 0, of: 600 },
    { rows: 601, of: 600 },
    { rows: 1.5, of: 600 },
    { rows: 1, of: Infinity },
  ])('with a count that there can be, and not %j', (unread) => {
    const { digest } = CHANGE;
    const problem = interruptProblem(CHANGE, { digest, resolution: YES, by: ANN, unread });
    expect(problem?.kind).toBe('not-allowed');
  });

  test('and the record says how much was not shown', () => {
    expect(unreadWords(UNREAD)).toBe('521 of 600 rows not shown');
  });
});
