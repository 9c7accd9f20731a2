import { describe, expect, test } from 'vitest';

import type { Resolution, ResolutionAction } from '../../src/core/index.js';
import { isDigestOf, isYes, namingVerdict, shortDigest } from '../../src/core/index.js';

const DIGEST = '3db9c6df'.padEnd(64, '0');

/** One resolution of each action, and whether it is a yes: one that is missing does not compile. */
const EACH: Readonly<Record<ResolutionAction, readonly [Resolution, boolean]>> = {
  restart: [{ action: 'restart' }, true],
  retry: [{ action: 'retry' }, true],
  continue: [{ action: 'continue' }, true],
  skip: [{ action: 'skip' }, true],
  rerun: [{ action: 'rerun' }, true],
  'go-back': [{ action: 'go-back' }, true],
  goto: [{ action: 'goto', node: 'ship' }, true],
  'edit-input': [{ action: 'edit-input', value: 1 }, true],
  'edit-output': [{ action: 'edit-output', value: 1 }, true],
  'change-condition': [{ action: 'change-condition', patch: {} }, true],
  defer: [{ action: 'defer', note: 'later' }, true],
  extend: [{ action: 'extend', by: 1 }, true],
  sequence: [
    { action: 'sequence', actions: [{ action: 'update-state', patch: {} }, { action: 'continue' }] },
    true,
  ],
  'update-state': [{ action: 'update-state', patch: {} }, false],
  respond: [{ action: 'respond', output: 'eu' }, false],
  reject: [{ action: 'reject' }, false],
  cancel: [{ action: 'cancel' }, false],
  pause: [{ action: 'pause' }, false],
};
const MORE: readonly (readonly [Resolution, boolean])[] = [
  [{ action: 'restart', input: { amount: 1 } }, true],
  [{ action: 'sequence', actions: [{ action: 'update-state', patch: {} }] }, false],
  ...['y', 'YES', ' approve ', 'true', true].map((output) => [{ action: 'respond', output }, true] as const),
  ...['no', 'yesterday', '', false, 0, null, ['y'], { y: true }].map(
    (output) => [{ action: 'respond', output }, false] as const,
  ),
];
const ALL = [...Object.values(EACH), ...MORE];

describe('an answer from outside of a conversation (A10)', () => {
  test.for(ALL)('%j is a yes: %j', ([resolution, yes]) => {
    expect(isYes(resolution)).toBe(yes);
  });

  test.for(ALL)('%j counts as it stands unless it is a yes: %j', ([resolution, yes]) => {
    const verdict = (naming: { digest?: string; any?: boolean; seated: boolean }) =>
      namingVerdict(resolution, naming);
    expect({
      alone: verdict({ seated: false }),
      seated: verdict({ seated: true }),
      digest: verdict({ digest: '3db9c6df', seated: false }),
      any: verdict({ any: true, seated: false }),
    }).toEqual({
      alone: yes ? 'refused' : 'counts',
      seated: yes ? 'show-first' : 'counts',
      digest: 'counts',
      any: 'counts',
    });
  });

  test.for([
    ['3db9c6df', true],
    ['3DB9C6DF', true],
    ['3db9c6df0', true],
    [DIGEST, true],
    [`${DIGEST}0`, false],
    ['3db9c6d', false],
    ['', false],
    ['3db9c6de', false],
    ['db9c6df0', false],
    ['3db9c6d.', false],
  ] as const)('%j names the digest: %j', ([text, expected]) => {
    expect(isDigestOf(text, { digest: DIGEST })).toBe(expected);
  });

  test('the short form of a digest is what it is named by, and is safe to print', () => {
    expect(shortDigest({ digest: DIGEST })).toBe('3db9c6df');
    expect(shortDigest({ digest: '\u001b[2J' })).toBe('\\u{1B}[2J');
  });
});
