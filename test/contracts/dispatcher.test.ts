import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { createLocalDispatcher, newSessionId } from '../../sessions/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { dispatcherCases } from '../../src/testing/index.js';

const session = () => Promise.resolve(newSessionId(Date.now(), randomBytes));

describe('the dispatcher of one process', () => {
  test.for(dispatcherCases.map((one) => [one.title, one] as const))('%s', async ([, { run }]) => {
    await run({ dispatcher: createLocalDispatcher({ clock: systemClock, slots: 2 }), session });
  });

  test('keeps all its promises', () => {
    expect(dispatcherCases).toHaveLength(6);
  });
});
