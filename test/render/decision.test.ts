import { describe, expect, test } from 'vitest';

import type {
  Actor,
  Interrupt,
  InterruptKind,
  InterruptSource,
  JsonObject,
  Resolution,
} from '../../src/core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import { createTheme } from '../../src/render/index.js';
import { decidersText, decidedLines } from '../../src/render/decision.js';
import { subjectOf, waitingLine, waitsFor } from '../../src/render/interrupt-lines.js';
import { confirmation } from './story.js';

const drawing = { theme: createTheme({ colour: false }), columns: 80 };
const person: Actor = { type: 'person', name: 'ann', via: 'terminal' };

describe('a decision on one line', () => {
  test.for<[Resolution, string]>([
    [{ action: 'retry' }, '✓ you retried  pay'],
    [{ action: 'continue' }, '✓ you continued  pay'],
    [{ action: 'skip' }, '✗ you skipped  pay'],
    [{ action: 'rerun', guidance: 'slower' }, '✓ you reran  pay  “slower”'],
    [{ action: 'go-back', to: 'draft' }, '✓ you went back  pay  “to draft”'],
    [{ action: 'go-back', steps: 1 }, '✓ you went back  pay  “1 node”'],
    [{ action: 'update-state', patch: { a: 1 } }, '✓ you edited  the state of pay  a 1'],
    [
      { action: 'change-condition', patch: { when: 'a > 1' } },
      '✓ you set  the conditions of pay  when a > 1',
    ],
    [{ action: 'defer', note: 'tomorrow' }, '✓ you deferred  pay  “tomorrow”'],
    [{ action: 'pause' }, '✗ you paused  pay'],
    [{ action: 'extend', by: 2.5 }, '✓ you extended  pay  “2.5”'],
  ])('%j', ([resolution, line]) => {
    const interrupt = confirmation('i1', 'a', 'pay', {});
    expect(decidedLines({ interrupt, resolution, by: person }, drawing)).toEqual([line]);
  });

  test('names a rule once', () => {
    const interrupt = confirmation('i1', 'a', 'pay', {});
    const by: Actor = { type: 'rule', rule: 'deny pay' };
    const line = (reason: string) =>
      decidedLines({ interrupt, resolution: { action: 'reject', reason }, by }, drawing);
    expect(line('the rule `deny pay` denies it')).toEqual(['✗ pay  (denied by rule: pay)']);
    expect(line('no person was available')).toEqual([
      '✗ pay  “no person was available”  (denied by rule: pay)',
    ]);
  });

  test.for([
    ['always pay', 'pay'],
    ['always run_command git status …', 'git status …'],
    ['always pay, exactly this call: {"to":"A"}', 'exactly this call'],
  ])('says of %s what was allowed, and not that a rule approved', ([rule = '', allowed]) => {
    const interrupt = confirmation('i1', 'a', 'pay', {});
    expect(
      decidedLines({ interrupt, resolution: { action: 'restart' }, by: { type: 'rule', rule } }, drawing),
    ).toEqual([`✓ pay  (allowed for this session: ${allowed ?? ''})`]);
  });

  test.for<[Actor, string]>([
    [person, 'ann at the terminal'],
    [{ type: 'person', name: 'bob\u0007', via: 'answer' }, 'bob\\u{7} by answer'],
    [{ type: 'script', name: 'ci', via: 'flag' }, 'flag'],
    [{ type: 'script', name: 'ci', via: 'answers', place: 'a.json:3' }, 'answers a.json:3'],
    [{ type: 'rule', rule: 'bank/*' }, 'rule bank/*'],
  ])('%j is %s', ([by, text]) => {
    expect(decidersText({ by })).toBe(text);
    const vote = { by, resolution: { action: 'restart' }, castAt: '2026-01-01T00:00:00.000Z' } as const;
    expect(decidersText({ by, votes: [vote, vote] })).toBe(`${text} and ${text}`);
  });

  test.for<[Actor, string]>([
    [{ type: 'rule', rule: 'session' }, '✓ rule session approved  Pay 2 to ann'],
    [{ type: 'script', name: 'ci', via: 'stdin', place: 'line 3' }, '✓ stdin line 3 approved  Pay 2 to ann'],
    [{ type: 'person', name: 'root', via: 'answer' }, '✓ root approved  Pay 2 to ann  from another terminal'],
    [{ type: 'person', name: 'bob\u0007', via: 'library' }, '✓ bob\\u{7} approved  Pay 2 to ann'],
  ])('says who decided elsewhere, and the thing in the words of its question: %j', ([by, line]) => {
    const interrupt = titled('Pay 2 to ann');
    expect(decidedLines({ interrupt, resolution: { action: 'restart' }, by }, drawing)).toEqual([line]);
  });

  test('has no row that begins with text from outside', () => {
    const interrupt = titled(`Pay ${'word '.repeat(30)}`);
    const by: Actor = { type: 'person', name: 'root', via: 'answer' };
    const rows = decidedLines({ interrupt, resolution: { action: 'restart' }, by }, drawing);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter((row) => !/^(?:✓ root approved| {2})/u.test(row))).toEqual([]);
  });
});

function titled(title: string): Interrupt {
  const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
  return { ...asked, source: { ...asked.source, title } as Interrupt['source'] };
}

describe('what an interrupt waits for', () => {
  test.for<[InterruptKind, string]>([
    ['question', 'asks you'],
    ['confirmation', 'needs your confirmation'],
    ['gate', 'is waiting at a gate'],
    ['pause', 'is paused'],
    ['error', 'failed and needs your decision'],
    ['in-doubt', 'may have run; no result was recorded'],
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

describe('the line of a question that waits', () => {
  test.for<[JsonObject, string]>([
    [
      { question: 'How many people\nwill come?', choices: ['2', '3'] },
      '● ask_user asks you (i1)  How many people\\nwill come?',
    ],
    [{ topic: 'dinner' }, '● ask_user asks you (i1)  topic: dinner'],
  ])('%j has its words, and else its input', ([input, line]) => {
    const source: InterruptSource = {
      type: 'tool',
      ref: toolRef('a'),
      name: 'ask_user',
      input,
      raisedBy: 'tool',
    };
    const interrupt = makeInterrupt(
      { kind: 'question', source, payload: true },
      { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '' },
    );
    expect(waitingLine(interrupt, drawing)).toBe(line);
  });

  test.for<[JsonObject, string | undefined, string]>([
    [
      { does: 'step', input: 'a', plan: { kind: 'step', digest: 'c85f' } },
      'deploy#2 a',
      'does: step, input: a',
    ],
    [{ state: { plan: 1 }, stateDigest: 'c85f' }, undefined, 'state: {plan: 1}'],
  ])('W77: a gate shows no fingerprint: %j', ([payload, named, said]) => {
    const node = { type: 'node', nodeId: 'release', visit: 1, phase: 'before' } as const;
    const source = { ...node, ...(named !== undefined && { operation: 'deploy#2' }) };
    const asked = { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '' };
    const interrupt = makeInterrupt({ kind: 'gate', source, payload }, asked);
    expect(waitingLine(interrupt, { ...drawing, columns: 200 })).toBe(
      `● ${named ?? 'release'} is waiting at a gate (i1)  ${said}`,
    );
  });
});
