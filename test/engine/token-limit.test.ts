import { expect, test } from 'vitest';

import { evolve, openInterrupts } from '../../src/core/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, drive, scene } from './drive.js';

const usage = { inputTokens: 90, outputTokens: 20 };

test('a limit of tokens asks before the next request, and what was allowed beyond it holds for the session', async () => {
  const limited = (text: string) => scene({ replies: ['-', text, text], limits: { maxTokens: 100 } });
  const one = await drive(
    stateAfter(userSaid('one')),
    scene({ replies: [{ text: 'done', usage }], limits: { maxTokens: 100 } }),
  );
  const asked = await drive(evolve(one.state, userSaid('two')), limited('done'));
  expect(openInterrupts(asked.state)[0]?.payload).toEqual({ limit: 'tokens', max: 100, spent: 110 });
  const extended = answer(asked.state, { action: 'extend', by: 100 });
  const two = await drive(extended, limited('done'));
  const three = await drive(evolve(two.state, userSaid('three')), limited('done'));
  expect([two.outcome.type, three.outcome.type]).toEqual(['ended', 'ended']);
});
