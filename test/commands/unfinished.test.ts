import { expect, test } from 'vitest';

import { unfinishedIn } from '../../commands/running/result.js';
import type { ReplyEnd, SessionEvent } from '../../src/core/index.js';
import { agent, stateOf, userSays } from '../render/story.js';

function sessionWith(end: ReplyEnd): readonly SessionEvent[] {
  return [
    { type: 'session-created', agent },
    userSays('x'),
    { type: 'model-started', attempt: 1 },
    {
      type: 'message-added',
      message: { role: 'model', content: [{ type: 'text', text: 'I will' }] },
      end,
    },
    { type: 'run-ended', reason: { type: 'done' } },
  ];
}

test('a session whose last reply the model did not finish says why, and a later turn that it did takes that back', () => {
  const refused = sessionWith('refusal');
  expect(unfinishedIn(stateOf(refused))).toBe('refused');
  expect(unfinishedIn(stateOf([...refused, ...sessionWith('stop').slice(1)]))).toBeUndefined();
  expect(unfinishedIn(stateOf([...refused, userSays('y')]))).toBeUndefined();
});
