import { describe, expect, test } from 'vitest';

import type { Actor, Resolution } from '../../src/core/index.js';
import { earlyAnswerView } from '../../src/human/question/question-text.js';
import { postedAnswer } from '../../commands/seat/people.js';
import { bankState, openInterrupt } from '../human/terminal-harness.js';

const by: Actor = { type: 'person', name: 'ann', via: 'answer', pid: 7 };
const [ASKED] = [openInterrupt()];

/** The rows below the question about an answer from elsewhere. */
function rowsOf(resolution: Resolution): readonly string[] {
  const { id, digest } = ASKED;
  const posted = postedAnswer({ id, digest, resolution, by }, ASKED);
  const labels = { message: 'Answered elsewhere. Accept this answer?', yes: 'accept', no: 'refuse it' };
  const view = earlyAnswerView({ interrupt: ASKED, state: bankState(), ...posted, ...labels }, 0);
  return view.brief.all
    .filter(({ part }) => part === 'answer')
    .map(({ gutter, label = '', text }) => `${gutter}${label}${text}`);
}

describe('an answer from elsewhere', () => {
  const author = '│ By: ann (answer: process 7)';

  test.for<readonly [Resolution, readonly string[]]>([
    [{ action: 'restart' }, ['│ Answer: approved', author]],
    [{ action: 'cancel' }, ['│ Answer: cancelled', author]],
    [{ action: 'reject', reason: 'too\nmuch' }, ['│ Answer: rejected  “too\\nmuch”', author]],
    [
      { action: 'restart', input: { toAccount: 'ABC123', amount: 150 } },
      [
        '│ Answer: approved  (changed: amount 200 → 150)',
        '│ input:',
        '│   toAccount: ABC123',
        '│   amount:    150',
        author,
      ],
    ],
    [
      { action: 'respond', output: `${'x'.repeat(80)}\n✓ approved` },
      [
        expect.stringMatching(/^│ Answer: provided the result {2}x+…$/u) as string,
        '│ output:',
        `│   ┆ ${'x'.repeat(80)}`,
        '│   ┆ ✓ approved',
        author,
      ],
    ],
  ])('%j is in words, and its values are whole', ([resolution, rows]) => {
    expect(rowsOf(resolution)).toEqual(rows);
  });
});
