import { describe, expect, test } from 'vitest';

import type { Actor, InterruptKind, InterruptSource, Resolution } from '../../src/core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH } from '../../src/core/index.js';
import { createTheme } from '../../src/render/index.js';
import { actorText, decidedLines } from '../../src/render/decision.js';
import { subjectOf, waitsFor } from '../../src/render/interrupt-lines.js';
import { confirmation } from './story.js';

const drawing = { theme: createTheme({ colour: false }), columns: 80 };
const person: Actor = { type: 'person', name: 'ann', via: 'terminal' };

describe('a decision on one line', () => {
  test.for<[Resolution, string]>([
    [{ action: 'retry' }, '✓ pay retried'],
    [{ action: 'continue' }, '✓ pay continued'],
    [{ action: 'skip' }, '⊘ pay skipped'],
    [{ action: 'rerun', guidance: 'slower' }, '✓ pay repeated  slower'],
    [{ action: 'go-back', to: 'draft' }, '✎ pay sent back  to draft'],
    [{ action: 'go-back', steps: 1 }, '✎ pay sent back  1 node'],
    [{ action: 'update-state', patch: { a: 1 } }, '✎ pay state changed  a: 1'],
    [{ action: 'change-condition', patch: { when: 'a > 1' } }, '✎ pay condition changed  when: "a > 1"'],
    [{ action: 'defer', note: 'tomorrow' }, '✓ pay deferred  tomorrow'],
    [{ action: 'pause' }, '⊘ pay paused'],
    [{ action: 'extend', by: 2.5 }, '✓ pay extended  2.5'],
  ])('%j', ([resolution, line]) => {
    const interrupt = confirmation('i1', 'a', 'pay', {});
    expect(decidedLines({ interrupt, resolution, by: person }, drawing)).toEqual([line]);
  });

  test.for<[Actor, string]>([
    [person, 'ann at the terminal'],
    [{ type: 'person', name: 'bob\u0007', via: 'answer' }, 'bob\\u{7} by answer'],
    [{ type: 'script', name: 'ci', via: 'flag' }, 'flag'],
    [{ type: 'script', name: 'ci', via: 'answers', place: 'a.json:3' }, 'answers a.json:3'],
    [{ type: 'rule', rule: 'bank/*' }, 'rule bank/*'],
  ])('%j is %s', ([by, text]) => {
    expect(actorText(by)).toBe(text);
  });

  test('names whoever decided elsewhere', () => {
    const interrupt = confirmation('i1', 'a', 'pay', {});
    const by: Actor = { type: 'rule', rule: 'session' };
    expect(decidedLines({ interrupt, resolution: { action: 'restart' }, by }, drawing)).toEqual([
      '✓ pay approved by rule session',
    ]);
  });
});

describe('what an interrupt waits for', () => {
  test.for<[InterruptKind, string]>([
    ['question', 'asks you something'],
    ['confirmation', 'needs your confirmation'],
    ['gate', 'waits at a gate'],
    ['pause', 'is paused'],
    ['error', 'failed and waits for your decision'],
    ['in-doubt', 'may have run, its outcome is unknown'],
    ['limit', 'reached a limit'],
  ])('%s: %s', ([kind, words]) => {
    const source: InterruptSource = { type: 'node', nodeId: 'review', visit: 1, phase: 'before' };
    const interrupt = makeInterrupt(
      { kind, source, payload: true },
      { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '' },
    );
    expect([subjectOf(interrupt), waitsFor(interrupt)]).toEqual(['review', words]);
  });
});
