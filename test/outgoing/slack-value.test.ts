import { expect, test } from 'vitest';

import { checkSessionId } from '../../src/core/index.js';
import { readSlackValue, slackValue } from '../../src/outgoing/index.js';

const QUESTION = { session: checkSessionId('rent'), interrupt: 'i1', digest: 'd1' };

test('The value of a button says which question it is about, and is read as that.', () => {
  expect(readSlackValue(slackValue(QUESTION) ?? '')).toEqual(QUESTION);
  expect(slackValue({ ...QUESTION, digest: 'd'.repeat(2_000) })).toBeUndefined();
});

test.each([
  'rent',
  '{"session":"rent"}',
  '["../rent","i1","d1"]',
  '["rent","i1"]',
  '["rent","i1",1]',
  '["rent","i1","d1","more"]',
])('A button with %s is none of ours.', (text) => {
  expect(readSlackValue(text)).toBeUndefined();
});
